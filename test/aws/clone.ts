import { execFile } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = new URL('../..', import.meta.url).pathname
const cloned = ['handlers', 'domain', 'schemas', 'local', 'serverless.yml', 'table.yml', 'package.json']
const isMade = (path: string): boolean => path.endsWith('/schemas/compiled')

/** Copies what packaging needs into a folder, as it is after `git clone` and `npm ci`: nothing is compiled. */
export function cloneTo(folder: string): void {
  for (const name of cloned)
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !isMade(path) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** The Serverless command as anybody has it: no account, no profile, nothing set. */
export const serverless = (folder: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['node_modules/serverless/bin/serverless.js', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' },
  })
