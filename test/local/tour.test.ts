import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Child, startChild } from '../../local/shared/child.ts'
import { freePort } from '../../local/shared/ports.ts'
import { untilAnswering } from '../../local/shared/untilAnswering.ts'
import type { Any } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'

// What the README, docs/tour.md and docs/webhooks.md tell to paste is pasted here, word by word.

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The blocks of a page, or of one of its sections, that are for a shell. */
const blocksOf = (page: string, section?: string): string[] => {
  const whole = readFileSync(root + page, 'utf8')
  const text = section ? (new RegExp(`^## ${section}\\n(.*?)^## `, 'ms').exec(whole)?.[1] ?? '') : whole
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '')
}
const [starting = '', listening = '', ...pasting] = blocksOf('docs/tour.md')
const pasted = pasting.join('\n')
/** The lines that give a shell the functions and the token that all others use. */
const beforeRequests = (block: string) => block.slice(0, block.search(/^api /m))
const first = beforeRequests(pasted)
/** Method and path of each request, in their order. */
const requests = [...pasted.matchAll(/^api (\w+) "?(\S+?)"?(?: |$)/gm)].map(([, method, url]) => `${method} ${url}`)

let env: Record<string, string>
let service: Child | undefined
let listener: Child | undefined
/** When everything listened. */
let begun: string
/** What `npm run listen` has printed. */
const heard: string[] = []
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

/** Pastes lines that run until they are stopped, and waits for a line that they print. */
function pasteInBackground(lines: string, sign: string, printed: string[] = []): Promise<Child> {
  // A separate process group, so that all of it can be ended; a person would press Ctrl-C.
  const script = `set -m; { ${lines} } & trap 'kill -TERM -$!' TERM; wait $!; wait $!`
  return new Promise((resolve, reject) => {
    const onLine = (line: string) => {
      printed.push(line)
      if (line.includes(sign)) resolve(running)
    }
    const running = startChild({ command: 'bash', args: ['-c', script], cwd: root, env, onLine })
    void running.ended.then(() => reject(new Error(printed.join('\n'))))
  })
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
  await withoutInstalling(async () => {
    service = await pasteInBackground(starting, 'Requests are listed below')
    listener = await pasteInBackground(listening, 'Listening for all events', heard)
  })
  begun = new Date().toISOString()
})
afterAll(async () => {
  await listener?.stop()
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
  expect(answerTo('GET $API/users/v4/users').users).toMatchObject([{ id: 'bob', department: 'Loading dock' }])
  expect(answerTo('GET $API/tasks/v4/tasks/boots').author).toMatchObject({ id: 'ann', last_name: 'Müller' })
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

  // Every event since it listens: also those of work that goes on after the last answer.
  const unheard = async () => {
    const query = `page_limit=100&sort=TIME_ASC&from=${begun}`
    const { stdout: page } = await paste(`${first}\napi GET "$API/admin/organisations/v4/events?${query}"`)
    const { events } = JSON.parse(page.slice(0, page.lastIndexOf(' ')))
    const lines = events.map(({ type, record }: Any) => `${type.padEnd(24)}  ${record.id}`)
    expect(lines).toContain(`${'task_assignment.finished'.padEnd(24)}  drill~bob`)
    return lines.filter((line: string) => !heard.some((one) => one.includes(line)))
  }
  await expect.poll(unheard).toEqual([])
  await listener?.stop()
  // The shell ends before the command that it has started.
  const webhooks = async () => (await paste(`${first}\napi GET $API/admin/organisations/v4/webhooks`)).stdout
  await expect.poll(webhooks, { message: 'Ctrl-C deletes the webhook' }).toMatch(/^\{"webhooks":\[\]/)
})

// The status of each answer goes another way than its body, which is printed over many lines.
const noting = `curl() { command curl "$@" -w '%{stderr}%{http_code} '; }\n`

test('the requests of the README work in any directory, also in one without a last administrator', async () => {
  const [block = ''] = blocksOf('README.md', 'Use it')
  const { stdout, stderr } = await paste(noting + block)
  expect(stderr).toBe('200 201 200 200 200 401 ')
  const printed = stdout.split(/^(?=\{$)/m)
  const answers: Any[] = printed.map((text) => JSON.parse(text))
  expect(printed.map((text) => text.trim())).toEqual(answers.map((body) => JSON.stringify(body, null, 2)))
  const [created, found, locked, refused] = answers
  expect([created.id, found.users.map(({ id }: Any) => id)]).toEqual(['zoe', ['zoe']])
  expect([locked.status, refused.error_code]).toEqual(['LOCKED', 'ACTOR_NOT_ACTIVE'])
})

/** Pastes into one shell after the other: each knows what the one before has set of these names. */
function shells(name: string, names: readonly string[], adapt = (block: string): string => block) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = join(folder, 'state')
  return async (block: string, statuses: string) => {
    const keep = `{ declare -p ${names.join(' ')} 2>/dev/null; declare -f; } > ${state}`
    const { stdout, stderr } = await paste(`[ -f ${state} ] && source ${state}\n${adapt(block)}\n${keep}`)
    expect(stderr.trim(), block).toBe(statuses)
    return stdout.split(/^(?=(?:\{|null)$)/m).map((text): Any => JSON.parse(text))
  }
}

test('the page about plans locks a department and takes it back', async () => {
  const page = 'docs/plans.md'
  const [creating = '', reading = '', applying = '', undoing = '', applyingUndo = ''] = blocksOf(page)
  const pasteNext = shells('plans', ['PLANS', 'PLAN', 'UNDO', 'USERS', 'TOKEN'])
  const [readme = ''] = blocksOf('README.md', 'Use it')
  const packer = (id: string) =>
    `api POST $USERS -d '{ "id": "${id}", "first_name": "P", "last_name": "P", "username": "${id}", "role": "USER",
      "status": "ACTIVE", "attributes": [{ "name": "department", "value": "Warehouse" }] }'\n`
  await pasteNext(noting + beforeRequests(readme) + packer('packer-1') + packer('packer-2'), '200 201 201')
  const [made] = await pasteNext(creating, '201')
  const until = (plan: string, state: string) =>
    expect.poll(async () => (await pasteNext(`api GET "$PLANS/${plan}"`, '200'))[0].state).toBe(state)
  await until(made.id, 'READY')
  const [plan, listed] = await pasteNext(reading, '200 200')
  expect(plan.counts).toMatchObject({ planned: 2, faults: 0 })
  expect(listed.changes[0]).toMatchObject({ action: 'LOCK', outcome: 'PLANNED' })
  await pasteNext(applying, '200 202')
  await until(made.id, 'DONE')
  const [undo] = await pasteNext(undoing, '201')
  await until(undo.id, 'READY')
  await pasteNext(applyingUndo, '200 202')
  await until(undo.id, 'DONE')
  const [after] = await pasteNext(`api GET "$PLANS/${undo.id}"`, '200')
  expect(after.counts.done).toBe(plan.counts.planned)
})

test('the page about webhooks works with its receiver in Node, from the creation to the end', async () => {
  const page = 'docs/webhooks.md'
  const port = await freePort()
  const [creating = '', testing = '', reopening = '', replaying = '', rotating = '', ending = ''] = blocksOf(page)
  const names = ['HOOKS', 'HOOK', 'USERS', 'TOKEN', 'WEBHOOK_SECRET']
  const pasteNext = shells('webhooks', names, (block) => block.replace('3100', String(port)))

  const [readme = ''] = blocksOf('README.md', 'Use it')
  const [made] = await pasteNext(noting + beforeRequests(readme) + creating, '200 201')
  expect(made).toMatchObject({
    state: 'OK',
    types: ['user.*', 'task.created'],
    secret: expect.stringMatching(/^whsec_/),
  })
  const [, source = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(root + page, 'utf8')) ?? []
  const received: string[] = []
  const receiver = startChild({
    command: process.execPath,
    args: ['--input-type=module', '--eval', source.replace('3100', String(port))],
    cwd: root,
    env: { ...env, WEBHOOK_SECRET: made.secret },
    onLine: (line) => received.push(line),
  })
  onTestFinished(receiver.stop)
  expect(await untilAnswering({ url: `http://localhost:${port}`, ended: receiver.ended, seconds: 300 })).toBe(true)
  const arrived = (text: string) => received.filter((line) => line.includes(text)).length
  const untilArrived = (text: string, times: number) => expect.poll(() => arrived(text)).toBe(times)

  const [sent] = await pasteNext(testing, '202 200')
  expect(sent).toMatchObject({ type: 'webhook.test', state: 'WAITING' })
  await untilArrived(`${sent.id} webhook.test undefined`, 1)
  // The outcome is written after the receiver has answered. Until then there is nothing to open again.
  // A change from just before the webhook may be delivered, too.
  const delivered = async () =>
    (await pasteNext('api GET "$HOOKS/$HOOK/deliveries?state=DELIVERED"', '200'))[0].deliveries
  await expect.poll(delivered).toContainEqual(expect.objectContaining({ id: sent.id }))
  const [failed, opened] = await pasteNext(reopening, '200 200 202')
  expect([failed.deliveries, opened]).toMatchObject([[], { state: 'WAITING' }])
  await untilArrived(opened.event_id ?? opened.id, 2)

  const wanda =
    '{ "id": "wanda", "first_name": "Wanda", "last_name": "Ot", "username": "w", "role": "USER", "status": "LOCKED" }'
  await pasteNext(`api POST $USERS -d '${wanda}'`, '201')
  await pasteNext(replaying, '202')
  await expect.poll(() => arrived('user.created wanda')).toBeGreaterThan(0)

  const [renewed] = await pasteNext(`${rotating}\necho "$ANSWER"`, '200')
  expect(renewed.secret).not.toBe(made.secret)
  const [again] = await pasteNext(testing, '202 200')
  await untilArrived(again.id, 1)
  const [disabled, deleted] = await pasteNext(ending, '200 204')
  expect([disabled.state, deleted]).toEqual(['DISABLED', null])
})
