import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'layers-'))

/** What `npm run layers` says of two files, one of which imports the other. */
async function checked(importer: string, imported: string): Promise<string> {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  write(imported, 'export const one = 1\n')
  const path = relative(dirname(importer), imported)
  write(importer, `import { one } from '${path.startsWith('.') ? path : `./${path}`}'\nexport const two = one\n`)
  const command = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const args = [command, '--output-type', 'err', '--config', resolve('local/layers.mjs'), importer]
  return promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    () => 'allowed',
    ({ stdout }) => stdout,
  )
}

beforeAll(() => cpSync('tsconfig.json', join(folder, 'tsconfig.json')))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  ['imports-point-down', 'domain/table/probe.ts', 'domain/tasks/probe.ts'],
  ['imports-point-down', 'domain/people/rules/probe.ts', 'domain/people/groups/probe.ts'],
  ['imports-point-down', 'domain/people/records/probe.ts', 'domain/people/finding/probe.ts'],
  ['imports-point-down', 'domain/tasks/probe.ts', 'domain/import/probe.ts'],
  ['each-folder-has-its-place', 'domain/newcomer/probe.ts', 'domain/base/probe.ts'],
  ['each-folder-has-its-place', 'domain/people/newcomer/probe.ts', 'domain/base/probe.ts'],
  ['people-offers-a-short-list', 'domain/tasks/probe.ts', 'domain/people/groups/groupView.ts'],
  ['people-offers-a-short-list', 'domain/import/probe.ts', 'domain/people/users/userView.ts'],
  ['only-handlers-import-operations', 'domain/maintenance/probe.ts', 'domain/tasks/createTask.ts'],
  ['a-batch-imports-its-single-operation', 'domain/people/users/updateUsers.ts', 'domain/people/users/createUser.ts'],
  ['product-imports-no-tools', 'domain/base/probe.ts', 'local/probe.ts'],
  ['allowed', 'domain/people/users/updateUsers.ts', 'domain/people/users/updateUser.ts'],
  ['allowed', 'domain/tasks/probe.ts', 'domain/people/records/user.ts'],
])('%s: %s imports %s', async (rule, importer, imported) => {
  expect(await checked(importer, imported)).toContain(rule)
})
