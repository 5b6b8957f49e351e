import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlanFolder } from '../../local/start/planFolder.ts'

const DAY_MS = 86_400_000
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'rollcall-plan-folder-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

/** The files of a plan that nobody has touched for so long. */
function left(plan: string, ageMs: number): void {
  const folder = join(dataDir, 'plan-files', plan)
  mkdirSync(join(folder, 'parts'), { recursive: true })
  writeFileSync(join(folder, 'parts', 'part'), 'text')
  const then = new Date(Date.now() - ageMs)
  utimesSync(folder, then, then)
}

describe('the files of plans on a laptop', () => {
  it('lie beside the data, and stay when the service ends', async () => {
    const { folder, stop } = await openPlanFolder(dataDir)
    expect(folder).toBe(join(dataDir, 'plan-files'))
    writeFileSync(join(folder, 'one'), 'text')
    await stop()
    expect(readdirSync(folder)).toEqual(['one'])
  })

  it('go at the next start if they are older than two days, as those of a bucket do', async () => {
    left('old', 2 * DAY_MS + 60_000)
    left('young', 2 * DAY_MS - 60_000)
    const { folder } = await openPlanFolder(dataDir)
    expect(readdirSync(folder)).toEqual(['young'])
    expect(existsSync(join(folder, 'young', 'parts', 'part'))).toBe(true)
  })

  it('go with a service that keeps no data', async () => {
    const { folder, stop } = await openPlanFolder(undefined)
    expect(dirname(folder)).toBe(tmpdir())
    writeFileSync(join(folder, 'one'), 'text')
    const other = await openPlanFolder(undefined)
    expect(other.folder).not.toBe(folder)
    await Promise.all([stop(), other.stop()])
    expect([folder, other.folder].some((one) => existsSync(one))).toBe(false)
  })
})
