import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'layers-'))
/** What `npm run layers` says of the files below. */
let findings: string[]

const imports = [
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
] as const

type Violation = { rule: { name: string }; from: string; to: string }

/** Writes that one file imports another. Neither need exist. */
function write(importer: string, imported: string, n: number): void {
  for (const file of [importer, imported]) mkdirSync(dirname(join(folder, file)), { recursive: true })
  const path = relative(dirname(importer), imported)
  appendFileSync(join(folder, imported), '')
  appendFileSync(
    join(folder, importer),
    `import * as one${n} from '${path.startsWith('.') ? path : `./${path}`}'\nexport const two${n} = one${n}\n`,
  )
}

beforeAll(() => {
  cpSync('tsconfig.json', join(folder, 'tsconfig.json'))
  for (const [n, [, importer, imported]] of imports.entries()) write(importer, imported, n)
  const command = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const args = ['--output-type', 'json', '--config', resolve('local/layers.mjs'), 'domain']
  const { stdout } = spawnSync(process.execPath, [command, ...args], { cwd: folder, encoding: 'utf8' })
  const { violations } = JSON.parse(stdout).summary
  findings = violations.map(({ rule, from, to }: Violation) => `${rule.name}: ${from} imports ${to}`)
})
afterAll(() => rmSync(folder, { recursive: true }))

it.each(imports)('%s: %s imports %s', (rule, importer, imported) => {
  const found = findings.filter((finding) => finding.endsWith(`: ${importer} imports ${imported}`))
  expect(found).toEqual(rule === 'allowed' ? [] : [expect.stringContaining(`${rule}: `)])
})
