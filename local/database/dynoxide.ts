import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Launch } from './launch.ts'

/** The program, where npm has installed it. */
const dynoxideBinary = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url))
const dataFile = 'dynoxide.db'

/** DynamoDB's interface on SQLite: one small program, made for Linux x64. */
export const dynoxide: Launch = {
  name: 'dynoxide',
  dataFile,
  server: /^Dynoxide/,
  command: (port, dataDir) => ({
    command: dynoxideBinary,
    args: ['serve', '--port', String(port), ...(dataDir ? ['--db-path', join(dataDir, dataFile)] : [])],
  }),
  whyNotStarted: (output) => {
    const last = output.findLast((line) => line.trim())
    return last && `dynoxide did not start: ${last}`
  },
}

/** Why dynoxide cannot be used on this machine; undefined if it can. */
export const whyNoDynoxide = (binary = dynoxideBinary): string | undefined => {
  if (!existsSync(binary)) return 'it is not installed (npm installs it on Linux x64 only)'
  const { status, error, signal } = spawnSync(binary, ['--version'], { timeout: 10_000 })
  if (status === 0) return
  return `its program does not run here (${error?.message ?? `exit code ${status ?? signal}`})`
}
