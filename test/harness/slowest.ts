import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(8)

/** Says at the end of a run which files took longest. */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      file: relative(process.cwd(), module.moduleId),
      time: module.diagnostic().duration,
    }))
    if (files.length < SHOWN) return
    const slowest = files.sort((a, b) => b.time - a.time).slice(0, SHOWN)
    console.log(['Slowest files:', ...slowest.map(({ file, time }) => `${seconds(time)}  ${file}`)].join('\n'))
  }
}
