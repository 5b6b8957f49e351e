import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { people } from '../harness/seed.ts'
import { serveHandlers } from '../harness/served.ts'
import { startService } from '../harness/service.ts'
import { tokenFor } from '../harness/tokens.ts'

const root = new URL('../..', import.meta.url).pathname
const users = Array.from({ length: 150 }, (_, n) => ({
  ...{ id: `u${n}`, username: `u${n}`, first_name: 'Ümit', last_name: `=${n}` },
  ...(n < 3 ? { status: 'LOCKED' as const } : {}),
}))

let folder: string
let stop: () => void
let url: string
/** What is done instead of sending the answer to a call for users. */
let onUsers: ((call: number) => void) | undefined
let calls = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'export-'))
  await startService({ indexes: ['by_created_at'], users: [...people, ...users] })
  const served = await serveHandlers((name) => {
    if (name === 'listUsers') onUsers?.(++calls)
  })
  stop = served.stop
  url = served.baseUrl
})
beforeEach(() => {
  onUsers = undefined
  calls = 0
})
afterAll(() => {
  stop?.()
  rmSync(folder, { recursive: true })
})

/** Runs the command, from the folder of its files. */
const run = (args: string[], env: NodeJS.ProcessEnv = {}) => {
  const child = spawn(process.execPath, ['local/export.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], INIT_CWD: folder, ROLLCALL_TOKEN: tokenFor('admin'), ...env },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  )
}
const written = (file: string) => readFileSync(join(folder, file), 'utf8')

test('writes a whole file that only its owner may read, and says how many', async () => {
  const { code, out, err } = await run(['--url', url, '--out', 'users.csv'])
  expect([code, out, err.split('\n').at(-2)]).toEqual([0, '', '153 users in users.csv.'])
  const lines = written('users.csv').trimEnd().split('\r\n')
  expect(lines).toHaveLength(154)
  expect(lines.at(-1)).toMatch(/,Ümit,'=\d+,,USER,ACTIVE,all-users,/)
  expect(statSync(join(folder, 'users.csv')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['users.csv'])
})

test('a file in .jsonl has lines of JSON, and a filter chooses', async () => {
  const { code } = await run(['--url', url, '--out', 'some.jsonl', '--filter', 'status=LOCKED'])
  const lines = written('some.jsonl').trimEnd().split('\n')
  expect([code, lines.map((line) => JSON.parse(line).status)]).toEqual([0, ['LOCKED', 'LOCKED', 'LOCKED']])
})

test('prints to standard output, with the token of a file', async () => {
  writeFileSync(join(folder, 'token'), `${tokenFor('admin')}\n`)
  const args = ['--url', `${url}/`, '--token-file', 'token', '--format', 'JSONL', '--filter', 'role=ADMIN']
  const { code, out, err } = await run(args, { ROLLCALL_TOKEN: '' })
  expect([code, err.split('\n').at(-2)]).toEqual([0, '2 users.'])
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual(['admin', 'admin-2'])
})

test('leaves the file of the day before as it is if it fails', async () => {
  writeFileSync(join(folder, 'old.csv'), 'yesterday')
  onUsers = (call) => {
    if (call > 1) throw new Error('the service has lost its way')
  }
  const { code, err } = await run(['--url', url, '--out', 'old.csv'])
  expect([code, err.split('\n').at(-2)]).toEqual([1, expect.stringMatching(/^500 .*: the service has lost its way$/)])
  expect([written('old.csv'), readdirSync(folder).filter((name) => name.endsWith('.part'))]).toEqual(['yesterday', []])
})

describe('says in one line what is wrong:', () => {
  test.each([
    ['no service', ['--url', 'http://localhost:2'], {}, /ECONNREFUSED.*Is the service running\?/],
    ['no token', ['--url', 'https://rollcall.test'], { ROLLCALL_TOKEN: '' }, /^--url needs a token/],
    ['a token in the clear', ['--url', 'http://rollcall.test'], {}, /would send the token in the clear: use https\.$/],
    ['no address', ['--url', 'rollcall'], {}, /^--url rollcall is no address/],
    ['a token file alone', ['--token-file', 'token'], {}, /^--token-file goes with --url/],
    ['no such token file', ['--url', 'https://rollcall.test', '--token-file', 'no'], {}, /no such file/],
    ['a format', ['--format', 'XLSX'], {}, /^--format XLSX: use CSV or JSONL\.$/],
    ['a filter', ['--filter', 'department=Sales'], {}, /^--filter department=Sales: use one of /],
    ['an option', ['--output', 'x'], {}, /--output/],
    ["npm's own lines", [], { npm_lifecycle_event: 'export' }, /^npm would write lines of its own/],
  ])('%s', async (_what, args, env, message) => {
    const { code, out, err } = await run(args, env)
    expect([code, out]).toEqual([1, ''])
    expect(err.trimEnd()).toMatch(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

test('a token that may not read users is refused with the code', async () => {
  const { code, err } = await run(['--url', url, '--out', 'none.csv'], { ROLLCALL_TOKEN: tokenFor('plain') })
  expect([code, err]).toEqual([1, expect.stringMatching(/^403 PERMISSION_MISSING: /)])
})
