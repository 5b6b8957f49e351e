import { describe, expect, test } from 'vitest'
import { startChild } from '../../local/shared/child.ts'

describe('a guarded command', () => {
  test('passes its lines and its exit code on', async () => {
    const lines: string[] = []
    const script = 'console.log("out"); console.error("no newline at the end"); process.exitCode = 3'
    const command = startChild({
      command: process.execPath,
      args: ['-e', script],
      onLine: (line) => lines.push(line),
    })
    expect(await command.ended).toBe(3)
    expect(lines.sort()).toEqual(['no newline at the end', 'out'])
  })

  test('ends when its starter is killed', async () => {
    const guarded = new URL('../../local/shared/child.ts', import.meta.url).href
    const inner = 'console.log(process.pid); setInterval(() => {}, 1000)'
    const starter = `
      const { startChild } = await import(${JSON.stringify(guarded)})
      startChild({ command: process.execPath, args: ['-e', ${JSON.stringify(inner)}], onLine: (pid) => {
        console.log(pid)
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50)
      } })`
    const lines: string[] = []
    const command = startChild({
      command: process.execPath,
      args: ['--input-type=module', '-e', starter],
      onLine: (line) => lines.push(line),
    })
    await command.ended
    expect(lines[0]).toMatch(/^\d+$/)
    await expect.poll(() => isAlive(Number(lines[0]))).toBe(false)
  })
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
