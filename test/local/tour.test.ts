import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Guarded, startGuarded } from '../../local/guarded.ts'
import { freePort } from '../../local/ports.ts'
import type { Any } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'

// What the README and docs/tour.md tell to paste is pasted here, word by word.

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The blocks of a page, or of one of its sections, that are for a shell. */
const blocksOf = (page: string, section?: string): string[] => {
  const whole = readFileSync(root + page, 'utf8')
  const text = section ? (new RegExp(`^## ${section}\\n(.*?)^## `, 'ms').exec(whole)?.[1] ?? '') : whole
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '')
}
const [starting = '', ...pasting] = blocksOf('docs/tour.md')
const pasted = pasting.join('\n')
/** Method and path of each request, in their order. */
const requests = [...pasted.matchAll(/^api (\w+) "?(\S+?)"?(?: |$)/gm)].map(([, method, url]) => `${method} ${url}`)

let env: Record<string, string>
let service: Guarded
/** What the lines print, pasted into a shell. */
const paste = (lines: string) => promisify(execFile)('bash', ['-c', lines], { env, cwd: root, maxBuffer: 1e8 })

/** `npm start` installs packages that are older than their lock file. Other tests load them meanwhile: here they are not. */
function withoutInstalling(start: () => Promise<void>): Promise<void> {
  const installed = `${root}node_modules/.package-lock.json`
  const { atime, mtime } = statSync(installed)
  const { mtimeMs: locked } = statSync(`${root}package-lock.json`)
  if (locked <= mtime.getTime()) return start()
  utimesSync(installed, atime, new Date(locked + 1000))
  return start().finally(() => utimesSync(installed, atime, mtime))
}

beforeAll(async () => {
  env = {
    ...(process.env as Record<string, string>),
    PORT: String(await freePort()),
    IDENTITY_PORT: String(await freePort()),
    DYNAMODB_ENDPOINT: dynamoDBEndpoint(),
    TABLE_NAME: `tour-${randomUUID()}`,
    DATA_DIR: '',
  }
  // A separate process group, so that all of it can be ended; a person would press Ctrl-C.
  const script = `set -m; { ${starting} } & trap 'kill -TERM -$!' TERM; wait $!; wait $!`
  const lines: string[] = []
  await withoutInstalling(
    () =>
      new Promise<void>((resolve, reject) => {
        const onLine = (line: string) => {
          lines.push(line)
          if (line.includes('Requests are listed below')) resolve()
        }
        service = startGuarded({ command: 'bash', args: ['-c', script], cwd: root, env, onLine })
        void service.ended.then(() => reject(new Error(lines.join('\n'))))
      }),
  )
}, 330_000)
afterAll(async () => {
  await service?.stop()
  rmSync(`${root}empty.json`, { force: true })
})

test('the tour fills an empty service', async () => {
  const { stdout, stderr } = await paste(pasted)
  expect(stderr).toBe('')
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line): { status: number; body: Any } => {
      const [, body = '', status] = /^(.*) (\d{3})$/.exec(line) ?? []
      return { status: Number(status), body: body === '' ? undefined : JSON.parse(body) }
    })
  const refused = answers.flatMap(({ status, body }, n) => (status < 300 ? [] : [{ request: requests[n], body }]))
  expect(refused).toEqual([])
  expect(answers, 'an answer to each request').toHaveLength(requests.length)
  const answerTo = (request: string) => answers[requests.findIndex((one) => one.startsWith(request))]?.body
  expect(answerTo('PATCH $API/admin/organisations/')).toMatchObject({ languages: ['en-GB', 'de-DE'] })
  const batch = answerTo('PATCH $API/admin/users/v4/users/batch')
  expect(batch.items.map(({ status }: Any) => status)).toEqual([200, 200])
  const found = answerTo('GET $API/admin/users/v4/users?search_term')
  expect(found.users.map(({ id }: Any) => id)).toEqual(['bob'])
  const ofRules = 'POST $API/admin/users/v4/user-group-rules'
  expect(answerTo(`${ofRules}/preview`)).toMatchObject({ total: 1, gaining: 1, losing: 0, users: [{ id: 'bob' }] })
  expect(answers[requests.indexOf(ofRules)]?.body).toMatchObject({ id: 'dock', enabled: true, state: 'APPLYING' })
  const { assignments } = answerTo('GET $API/admin/channels/v4/channels/safety/assignments/users')
  expect(assignments.map(({ user }: Any) => user.id)).toEqual(['service-account-admin', 'bob', 'ann'])
  expect(answerTo('PATCH $API/admin/calendar/')).toMatchObject({ working_hours: { start: '09:00', end: '18:00' } })
  const sweeps = answers.filter((_, n) => requests[n] === 'POST $API/tasks/v4/tasks').slice(-2)
  expect(sweeps.map(({ body }) => body.id)).toEqual([sweeps[0]?.body.id, sweeps[0]?.body.id])
  const read = answers.filter((_, n) => requests[n] === 'GET $API/tasks/v4/tasks/drill')
  expect(read.map(({ body }) => body.distribution_kind)).toEqual(['RECEIVED', 'RECEIVED'])
  expect(answerTo('GET $API/tasks/v4/tasks/drill/assignments-summary')).toEqual({
    distribution: { state: 'DONE', total: 2, done: 2 },
    total: 2,
    items: [
      { status: 'NEW', count: 0 },
      { status: 'OPEN', count: 0 },
      { status: 'FINISHED', count: 2 },
    ],
  })
  expect(answerTo('GET $API/admin/users/v4/users/ann').primary_user_group).toMatchObject({ id: 'all-users' })
})

test('the first requests of the README work in any directory, also in one without a last administrator', async () => {
  const [block = ''] = blocksOf('README.md', 'First requests')
  // The status of each answer goes another way than its body, which is printed over many lines.
  const noting = `curl() { command curl "$@" -w '%{stderr}%{http_code} '; }\n`
  const { stdout, stderr } = await paste(noting + block)
  expect(stderr.trim().split(' ')).toEqual([
    '200',
    '200',
    '201',
    '200',
    '200',
    '200',
    '200',
    '401',
    '200',
    '200',
    '200',
  ])
  const printed = stdout.split(/^(?=\{$)/m)
  const answers: Any[] = printed.map((text) => JSON.parse(text))
  expect(printed.map((text) => text.trim())).toEqual(answers.map((body) => JSON.stringify(body, null, 2)))
  const [, created, found, patched, locked, refused, unlocked, deleted, restored] = answers
  expect([created.id, found.users.map(({ id }: Any) => id), patched.email]).toEqual(['zoe', ['zoe'], 'zoe@example.com'])
  expect([locked.status, refused.error_code, unlocked.status]).toEqual(['LOCKED', 'ACTOR_NOT_ACTIVE', 'ACTIVE'])
  expect([deleted.status, restored.status]).toEqual(['PENDING_DELETION', 'ACTIVE'])
})
