import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parseDocument } from 'yaml'
import { serviceFunctions } from '../../local/build/yamlFiles.ts'

const root = new URL('../..', import.meta.url).pathname
const folders = ['handlers', 'domain', 'schemas', 'local', 'stages', 'client', 'console']
const files = ['serverless.yml', 'table.yml', 'package.json', 'package-lock.json', 'tsconfig.json']
const made = ['schemas/compiled', 'client/dist', 'client/src/api.ts', 'console/dist', 'console/before']
/** Those of DynamoDB Local are 20,000 files. */
const isInstalled = (path: string): boolean => basename(path) === 'node_modules'
const isMade = (path: string): boolean => made.some((name) => path === join(root, name))

/** Copies what packaging needs into a folder, as it is after `git clone` and `npm ci`: nothing is compiled. */
export function cloneTo(folder: string): void {
  for (const name of [...folders, ...files])
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !isMade(path) && !isInstalled(path),
    })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** Leaves some functions in a copy's serverless.yml: bundling all of them takes most of the time. */
export function leaveFunctions(folder: string, ...kept: string[]): void {
  const path = join(folder, 'serverless.yml')
  const template = parseDocument(readFileSync(path, 'utf8'), { logLevel: 'silent' })
  for (const name of Object.keys(serviceFunctions())) if (!kept.includes(name)) template.deleteIn(['functions', name])
  writeFileSync(path, String(template))
}

/** The environment of commands in a copy: no account, no profile, nothing set but where caches are. */
export function cloneEnvironment(folder: string): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, SLS_SCHEMA_CACHE_BASE_DIR } = process.env
  return { PATH, NODE_COMPILE_CACHE, SLS_SCHEMA_CACHE_BASE_DIR, HOME: folder, NO_COLOR: '1' }
}

/** The Serverless command as anybody has it. */
export const serverless = (folder: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['node_modules/serverless/bin/serverless.js', ...args], {
    cwd: folder,
    env: cloneEnvironment(folder),
  })
