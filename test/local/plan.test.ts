import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient, exportUsers } from '../../client/src/index.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { demoDirectory } from '../../local/demo/demo.ts'
import { serveHandlers } from '../harness/served.ts'
import { type Service, startService } from '../harness/service.ts'
import { tokenFor } from '../harness/tokens.ts'
import { work } from '../plans/plans.ts'

const root = new URL('../..', import.meta.url).pathname
const token = tokenFor('demo-admin')

let folder: string
let service: Service
let url: string
let stop: () => void
/** The ids of plans, in the order of their creation. */
let made: string[] = []
/** Calls of which the answer is lost, once each. */
let lost: string[] = []
/** After these a worker has something to do. */
const forWorkers = ['createPlan', 'checkPlanFile', 'applyPlan']
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plan-'))
  service = await startService({
    indexes: 'all',
    fill: (store, now) => importDirectory({ store, now: now.toISOString(), newId: randomUUID }, demoDirectory(now)),
  })
  const served = await serveHandlers(async (name, { status, body }) => {
    if (name === 'createPlan' && status === 201) made.push(body.id)
    if (forWorkers.includes(name) && status < 300) await work(service, body.id)
    if (!lost.includes(name)) return
    lost = lost.filter((one) => one !== name)
    throw new Error('The answer is lost')
  })
  stop = served.stop
  url = served.baseUrl
})
beforeEach(() => {
  made = []
  lost = []
})
afterAll(() => {
  stop?.()
  rmSync(folder, { recursive: true })
})

const run = (args: string[]) => {
  const child = spawn(process.execPath, ['local/plan.ts', '--url', url, ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], INIT_CWD: folder, ROLLCALL_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err: err.trim() })),
  )
}
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return name
}
const client = () => createClient({ baseUrl: url, token: () => ({ access_token: token }) })
const exported = async () => {
  let text = ''
  for await (const piece of exportUsers(client())) text += piece
  return text
}
/** The first plan that the test has made. */
const planNow = async () => {
  const params = { path: { plan_id: made[0] ?? '' } }
  return (await client().GET('/api/admin/organisations/v4/plans/{plan_id}', { params })).data
}

const among = ['--full', '--absent', 'DEACTIVATE', '--absent-among', 'attribute:department=Warehouse']
const night = [join(root, 'local/demo/hr.csv'), ...among, '--rows', '46']

describe('the night of the warehouse', { shuffle: false }, () => {
  let before: string
  let id: string

  test('is planned and shown, and changes nothing', async () => {
    before = await exported()
    const { code, out, err } = await run(night)
    id = made[0] ?? ''
    expect([code, err.split('\n')[0]], out).toEqual([0, expect.stringMatching(/^bytes sent +6685 of 6685$/)])
    const lines = out.split('\n')
    expect(lines[0]).toMatch(new RegExp(`^Plan ${id} \\(hr\\.csv\\) is READY until 2026-11-28 `))
    expect(lines).toEqual(
      expect.arrayContaining([
        '  rows              46',
        '  creations          2',
        '  faults             3',
        '  absent             2',
        '  planned            9',
        'Columns that name nothing, and are left out:',
        '  Shift',
        'Changes:',
        '  row 31    UPDATE      Hülya Türkmen (user-250)  last_name: Türkmen -> Aydın, email: hulya.turkmen@nordwind.example -> hulya.aydin@nordwind.example',
        '  absent    DEACTIVATE  Hélène Bœuf (user-063)  status: ACTIVE -> DEACTIVATED',
        'Faults (row 1 is the first below the header):',
        '  row 45    Status: status must be ACTIVE, LOCKED or DEACTIVATED (VALIDATION_ERROR)',
      ]),
    )
    expect(lines.at(-2)).toBe(`Nothing is changed. To apply it: npm run plan -- --id ${id} --apply`)
    expect(await exported()).toBe(before)
  })

  test('is applied by its id, also if the answer is lost', async () => {
    lost = ['applyPlan']
    const { code, out } = await run(['--id', id, '--apply'])
    expect(code, out).toBe(0)
    expect(out).toMatch(/is DONE\.\n(?:.*\n)*? {2}done +9\n/)
    expect(out.trimEnd().split('\n').at(-1)).toBe(`To take it back: npm run plan -- --undo ${id}`)
    expect(await exported()).toMatch(/^HR-10460,[^,]+,noor\.de-vries,/m)
  })

  test('changes nothing the second time', async () => {
    const { code, out } = await run([...night, '--apply'])
    expect(code).toBe(0)
    expect(out).toMatch(/ {2}planned +0\n/)
    expect(out).toMatch(/There is nothing to apply\.\n$/)
  })

  test('is taken back once its number is named, as that deletes the two who are new', async () => {
    const refused = await run(['--undo', id, '--apply'])
    expect(refused.code).toBe(1)
    expect(refused.err).toBe('It deletes users: give --planned 9 once you have read it. Nothing is changed.')
    const wrong = await run(['--id', made[0] ?? '', '--apply', '--planned', '8'])
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^409 PLAN_STATE_CONFLICT: /)])
    const { code, out } = await run(['--id', made[0] ?? '', '--apply', '--planned', '9'])
    expect(code, out).toBe(0)
    expect(await exported()).toBe(before)
  })
})

test('a file that was cut off is refused, and nobody is absent', async () => {
  const half = file('half.csv', 'External ID,First name\nHR-10092,Јелена\n')
  const { code, out } = await run([half, ...among, '--rows', '46', '--apply'])
  expect([code, made.length]).toEqual([1, 1])
  expect(out).toMatch(/^Plan .* \(half\.csv\) is REFUSED\.\nPLAN_FILE_INCOMPLETE: /)
})

test('more than 100 changes are applied once their number is named', async () => {
  const rows = Array.from({ length: 130 }, (_, n) => `user-${String(n + 120).padStart(3, '0')},Neu`)
  const many = file('many.csv', `id;job_title\n${rows.join('\n').replaceAll(',', ';')}`)
  const limits = ['--match-by', 'ID', '--limits', 'changed_percent=100']
  const { code, err, out } = await run([many, ...limits, '--apply'])
  const { counts } = await planNow()
  expect(out).toContain(`Changes, the first 20 of ${counts.planned}:`)
  expect([code, err.split('\n').at(-1)]).toEqual([
    1,
    `It has more than 100 changes: give --planned ${counts.planned} once you have read it. Nothing is changed.`,
  ])
})

test('a check whose answer is lost is not sent twice', async () => {
  lost = ['checkPlanFile']
  const { code, out } = await run([file('one.csv', 'id,first_name\nuser-002,Anna\n'), '--match-by', 'ID'])
  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringContaining(' is READY until ')])
})

test('a plan whose file cannot be sent is cancelled', async () => {
  const { code, err } = await run([file('empty.csv', '')])
  expect([code, err, (await planNow()).state]).toEqual([1, 'The file is empty', 'CANCELLED'])
})

describe('says in one line what is wrong:', () => {
  test.each([
    ['nothing', [], /^Give one file, or --id, or --undo/],
    ['two files', ['a.csv', 'b.csv'], /^Give one file, or --id, or --undo/],
    ['no such file', ['no.csv'], /^no\.csv cannot be read\.$/],
    ['no number of rows', ['no.csv', ...among], /^--absent needs --rows N: /],
    ['what the service refuses', ['{hr}', '--absent', 'DEACTIVATE', '--rows', '1'], /^400 VALIDATION_ERROR: /],
    ['no such plan', ['--undo', 'x'], /^404 PLAN_NOT_FOUND: /],
    ['no number', ['--id', 'x', '--apply', '--planned', 'all'], /^--planned all must be a number\.$/],
    ['an option', ['no.csv', '--dry-run'], /--dry-run/],
  ])('%s', async (_what, args, message) => {
    const { code, out, err } = await run(args.map((arg) => (arg === '{hr}' ? (night[0] ?? '') : arg)))
    expect([code, out, made]).toEqual([1, '', []])
    expect(err).toMatch(message)
    expect(err.split('\n')).toHaveLength(1)
  })
})
