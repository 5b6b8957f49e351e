import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientTypes } from '../../local/build/clientTypes.ts'

const root = new URL('../..', import.meta.url).pathname
const folder = mkdtempSync(`${root}test/client/.misuse-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(clientTypes)

/** What is wrong with the lines, in the compiler's words, line by line. */
function judged(lines: readonly string[]): string[] {
  const head = `import { clientOf } from '../client.ts'\nconst api = clientOf('', '')\n`
  writeFileSync(`${folder}/misuse.ts`, `${head}${lines.join('\n')}\n`)
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['misuse.ts'] }),
  )
  const tsc = [`${root}node_modules/typescript-native/bin/tsc`, '-p', folder, '--pretty', 'false']
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' })
  const found = lines.map(() => '')
  for (const [, line, text] of stdout.matchAll(/misuse\.ts\((\d+),\d+\): error (.*)/g))
    found[Number(line) - 3] = text ?? ''
  return found
}

const users = "'/api/admin/users/v4/users'"
const aUser = "'/api/admin/users/v4/users/{user_id}'"
const somebody = "params: { path: { user_id: 'ann' } }"
const name = "first_name: 'A', last_name: 'B', username: 'ab', role: 'USER' as const, status: 'ACTIVE' as const"

test('what fits compiles', () => {
  const lines = [
    `await api.POST(${users}, { body: { ${name}, attributes: null } })`,
    `await api.GET(${users}, { params: { query: { status: ['ACTIVE'], sort: ['USERNAME_ASC'], page_limit: 100 } } })`,
    `;(await api.GET(${aUser}, { ${somebody} })).data?.primary_user_group?.title.text.length`,
    `;(await api.POST('/api/admin/users/v4/users/{user_id}/lock', { ${somebody} })).data?.status === 'LOCKED'`,
    `await api.GET(${aUser}, { params: { path: { user_id: 'ann' }, header: { 'if-none-match': '"a.b"' } } })`,
    `await api.POST(${users}, { body: { ${name} }, params: { header: { 'idempotency-key': 'k' } } })`,
    `;(await api.GET('/api/calendar/v4/settings')).data?.working_days.includes('MONDAY')`,
    `await api.DELETE(${users}, { ${somebody} })`,
  ]
  expect(judged(lines)).toEqual([...lines.slice(1).map(() => ''), expect.stringMatching(/TS2345/)])
})

test.each([
  ['a field that is not known', `await api.POST(${users}, { body: { ${name}, nickname: 'x' } })`],
  ['a field that is missing', `await api.POST(${users}, { body: { first_name: 'A', last_name: 'B' } })`],
  ['a value that is not allowed', `await api.POST(${users}, { body: { ${name}, required_actions: ['KING'] } })`],
  ['a body that is missing', `await api.PATCH(${aUser}, { ${somebody} })`],
  ['a path that is not there', "await api.GET('/api/admin/users/v4/people')"],
  ['a method that is not there', `await api.PATCH(${users}, { body: {} })`],
  ['a path without its id', `await api.GET(${aUser})`],
  ['a sort that is not there', `await api.GET(${users}, { params: { query: { sort: ['SHOE_ASC'] } } })`],
  ['an answer’s field that is not there', `;(await api.GET(${aUser}, { ${somebody} })).data?.nickname`],
  [
    'a header that is not offered',
    `await api.POST(${users}, { body: { ${name} }, params: { header: { 'if-match': '*' } } })`,
  ],
  ['a code that cannot come', `;(await api.GET(${aUser}, { ${somebody} })).error?.error_code === 'TASK_NOT_FOUND'`],
  ['a status that cannot come', `;(await api.GET(${aUser}, { ${somebody} })).error?.status === 418`],
])('%s does not compile', (_what, line) => {
  expect(judged([line])).toEqual([expect.stringMatching(/^TS\d+: /)])
})
