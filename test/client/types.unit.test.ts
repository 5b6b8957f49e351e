import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
const folder = mkdtempSync(`${root}test/client/.lines-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler says about each line, with the project's options and `options`. */
function compiled(lines: readonly string[], options: object = {}): string[] {
  const head = `import { createClient, RollcallError } from '../../../client/src/index.ts'
const api = createClient({ baseUrl: '', token: () => ({ access_token: '' }) })
const error = new RollcallError('', { done: false })
`
  writeFileSync(`${folder}/lines.ts`, `${head}${lines.join('\n')}\n`)
  const project = { extends: '../../../tsconfig.json', include: ['lines.ts'], compilerOptions: options }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(project))
  const tsc = [`${root}node_modules/typescript-native/bin/tsc`, '-p', folder, '--pretty', 'false']
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' })
  const found = lines.map(() => '')
  for (const [, line, text] of stdout.matchAll(/lines\.ts\((\d+),\d+\): error (.*)/g))
    found[Number(line) - head.split('\n').length] = text ?? ''
  return found
}

const users = "'/api/admin/users/v4/users'"
const aUser = "'/api/admin/users/v4/users/{user_id}'"
const ann = "params: { path: { user_id: 'ann' } }"
const ifChanged = `params: { path: { user_id: 'ann' }, header: { 'if-none-match': '"a.b"' } }`
const name = "first_name: 'A', last_name: 'B', username: 'ab', role: 'USER' as const, status: 'ACTIVE' as const"

const good = [
  `await api.POST(${users}, { body: { ${name}, attributes: null } })`,
  `await api.GET(${users}, { params: { query: { status: ['ACTIVE'], sort: ['USERNAME_ASC'], page_limit: 100 } } })`,
  `;(await api.GET(${aUser}, { ${ann} })).data.primary_user_group?.title.text.length`,
  `;(await api.GET(${aUser}, { ${ifChanged} })).data?.username.length`,
  `;(await api.POST('/api/admin/users/v4/users/{user_id}/lock', { ${ann} })).data.status === 'LOCKED'`,
  `await api.POST(${users}, { body: { ${name} }, params: { header: { 'idempotency-key': 'k' } } })`,
  `;(await api.GET('/api/calendar/v4/settings')).data.working_days.includes('MONDAY')`,
  `for await (const { users, pagination } of api.pages(${users})) users[pagination.page_limit]?.username.length`,
  `for await (const { tasks } of api.pages('/api/tasks/v4/tasks')) tasks[0]?.title.length`,
  `error.error_code === 'TASK_NOT_FOUND' && error.errors?.[0]?.property.length`,
]

const bad: [what: string, line: string][] = [
  ['a field that is not known', `await api.POST(${users}, { body: { ${name}, nickname: 'x' } })`],
  ['a field that is missing', `await api.POST(${users}, { body: { first_name: 'A', last_name: 'B' } })`],
  ['a value that is not allowed', `await api.POST(${users}, { body: { ${name}, required_actions: ['KING'] } })`],
  ['a body that is missing', `await api.PATCH(${aUser}, { ${ann} })`],
  ['a path that does not exist', "await api.GET('/api/admin/users/v4/people')"],
  ['a method that does not exist', `await api.PATCH(${users}, { body: {} })`],
  ['parameters of another path', `await api.DELETE(${users}, { ${ann} })`],
  ['a path without its id', `await api.GET(${aUser})`],
  ['a sort that does not exist', `await api.GET(${users}, { params: { query: { sort: ['SHOE_ASC'] } } })`],
  ['a field that answers do not have', `;(await api.GET(${aUser}, { ${ann} })).data.nickname`],
  ['data of an answer that may be 304', `;(await api.GET(${aUser}, { ${ifChanged} })).data.username`],
  [
    'data of an answer without any',
    `;(await api.DELETE('/api/tasks/v4/tasks/{task_id}', { params: { path: { task_id: 't' } } })).data.id`,
  ],
  [
    'a header that is not taken',
    `await api.POST(${users}, { body: { ${name} }, params: { header: { 'if-match': '*' } } })`,
  ],
  ['pages of what has none', `api.pages('/api/admin/users/v4/user-attribute-definitions')`],
  ['a code that does not exist', `error.error_code === 'USER_IS_TIRED'`],
]

test('what is right compiles, what is wrong does not', () => {
  const found = compiled([...good, ...bad.map(([, line]) => line)])
  expect(found.slice(0, good.length)).toEqual(good.map(() => ''))
  for (const [n, [what]] of bad.entries()) expect(found[good.length + n], what).toMatch(/^TS\d+: /)
})

test('what is right compiles with the options that most projects have', () => {
  const usual = { exactOptionalPropertyTypes: false, noPropertyAccessFromIndexSignature: false, skipLibCheck: true }
  expect(compiled(good, usual)).toEqual(good.map(() => ''))
})
