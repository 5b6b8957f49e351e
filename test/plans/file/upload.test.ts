import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readParts } from '../../../domain/plans/file/fileParts.ts'
import { isComplete } from '../../../domain/plans/file/fileSum.ts'
import { planFiles } from '../../../domain/plans/file/planFiles.ts'
import { type FileSum, type Plan, plans } from '../../../domain/plans/plan.ts'
import { call } from '../../harness/call.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { giveToken } from '../../harness/serviceTokens.ts'
import { apply, cancel, create, get, work } from '../plans.ts'
import { check, octets, packed, put, sumOf, uploaded, waiting } from './uploads.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ users: people, indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'] })
})

const file = Buffer.from('username,department\nuser,Sales\n')
const filesOf = (id: string) => planFiles(id).list('')
const everybody = { absent_among: { all: true } }

describe('a plan of a file', () => {
  it('waits for its file, and says what was asked for', async () => {
    const asked = {
      title: 'HR',
      ...{ format: 'CSV', match_by: 'USERNAME', mode: 'FULL', absent: 'DEACTIVATE', on_fault: 'REFUSE' },
      ...{ columns: { Team: 'attribute:department', Cost: null }, limits: { changed_percent: 12.5, changes: 7 } },
      absent_among: { user_ids: ['user', 'user', 'author'] },
    }
    const plan = await waiting(asked)
    const { title, absent_among, ...request } = asked
    expect(plan).toMatchObject({ title, request, progress: null, fault: null, ignored_columns: [] })
    expect(plan.request.absent_among).toEqual({ user_ids: { count: 3, sha256: expect.stringMatching(/^\w{64}$/) } })
    expect(Date.parse(plan.expires_at) - Date.parse(plan.created_at)).toBe(24 * 3_600_000)
    expect((await call('listPlans', { query: 'kind=FILE&state=WAITING' })).body.plans).toContainEqual(plan)
    expect((await apply(plan.id, 0)).body).toMatchObject({ error_code: 'PLAN_STATE_CONFLICT' })
    await cancel(plan.id)
  })

  it.each<[body: object, property: string]>([
    [{ select: { all: true } }, 'select'],
    [{ change: { action: 'LOCK' } }, 'change'],
    [{ plan_id: 'plan' }, 'plan_id'],
    [{ absent: 'DELETE', ...everybody }, 'mode'],
    [{ absent: 'DELETE', mode: 'FULL' }, 'absent_among'],
    [{ absent: 'DELETE', mode: 'FULL', absent_among: {} }, 'absent_among'],
    [{ absent: 'DELETE', mode: 'FULL', absent_among: { role_id: 'member' } }, 'absent_among.user_group_id'],
    [{ absent_among: { search_term: ' ' } }, 'absent_among.search_term'],
    [{ limits: { changed_percent: 101 } }, 'limits.changed_percent'],
    [{ columns: { Team: 'department', team: 'email' } }, 'columns'],
    [{ columns: { Team: 'no such thing' } }, 'columns'],
    [{ columns: { Team: '' } }, 'columns.Team'],
    [{ columns: JSON.parse('{"__proto__": "email"}') }, 'columns'],
    [
      { columns: Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`${n}${'x'.repeat(80)}`, null])) },
      'columns',
    ],
    [{ format: 'XLSX' }, 'format'],
    [{ unlock: 'yes' }, 'unlock'],
  ])('is refused with %j', async (body, property) => {
    const { status, body: answer } = await create({ kind: 'FILE', ...body })
    expect([status, answer]).toMatchObject([400, { error_code: 'VALIDATION_ERROR', property }])
  })

  it.each<[body: object, property: string]>([
    [
      { kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' }, limits: { changed_percent: 1 } },
      'limits.changed_percent',
    ],
    [{ kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' }, format: 'CSV' }, 'format'],
    [{ kind: 'UNDO', plan_id: 'plan', absent: 'KEEP' }, 'absent'],
  ])('is the only kind that takes %j', async (body, property) => {
    expect((await create(body)).body).toMatchObject({ error_code: 'VALIDATION_ERROR', property })
  })

  it('needs what it names', async () => {
    const full = { mode: 'FULL', absent: 'DEACTIVATE' }
    const refused = async (body: object) => (await create({ kind: 'FILE', ...body })).body
    expect(await refused({ ...full, absent_among: { user_group_id: 'no-group' } })).toMatchObject({
      ...{ error_code: 'UNKNOWN_USER_GROUP_ID', property: 'absent_among.user_group_id' },
    })
    await call('updateOrganisationSettings', { body: { features: { user_deactivation: false } } })
    expect(await refused({ ...full, ...everybody })).toMatchObject({
      error_code: 'FEATURE_NOT_ENABLED',
      property: 'absent',
    })
    await call('updateOrganisationSettings', { body: { features: { user_deactivation: true } } })
    const users = { token: await giveToken(service, ['USERS']) }
    const among = { absent_among: { user_group_id: 'all-users' } }
    expect((await create({ kind: 'FILE', ...among }, users)).body).toMatchObject({ error_code: 'PERMISSION_MISSING' })
    await cancel((await waiting({}, users)).id, users)
  })
})

describe('a part', () => {
  it('comes in any order, twice, and compressed; the last one counts', async () => {
    const { id } = await waiting()
    await put(id, 2, file.subarray(7))
    await put(id, 1, Buffer.from('wrong'))
    expect((await put(id, 1, gzipSync(file.subarray(0, 7)), { headers: packed })).status).toBe(204)
    expect((await readParts(service.store, id)).map(({ number, bytes }) => [number, bytes])).toEqual([
      [1, 7],
      [2, file.length - 7],
    ])
    const { status, body } = await check(id, sumOf(file, 2))
    expect([status, body]).toMatchObject([202, { state: 'CHECKING', expires_at: null }])
    await cancel(id)
  })

  it.each<[what: string, bytes: Uint8Array, headers: Record<string, string>, status: number, code: string]>([
    ['nothing', Buffer.alloc(0), octets, 400, 'VALIDATION_ERROR'],
    ['nothing, compressed', gzipSync(''), packed, 400, 'VALIDATION_ERROR'],
    ['what is not compressed', file, packed, 400, 'VALIDATION_ERROR'],
    ['half of what is compressed', gzipSync(randomBytes(100)).subarray(0, 60), packed, 400, 'VALIDATION_ERROR'],
    ['4 MiB and a byte', Buffer.alloc(4 * 2 ** 20 + 1), octets, 413, 'PAYLOAD_TOO_LARGE'],
    [
      'what is 32 MiB and a byte when unpacked',
      gzipSync(Buffer.alloc(32 * 2 ** 20 + 1)),
      packed,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['JSON', file, { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a text', file, { 'content-type': 'text/csv' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another compression', file, { ...octets, 'content-encoding': 'br' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('is not %s', async (_, bytes, headers, status, code) => {
    const { id } = await waiting()
    const answer = await put(id, 1, bytes, { headers })
    expect([answer.status, answer.body.error_code]).toEqual([status, code])
    expect(await filesOf(id)).toEqual([])
    await cancel(id)
  })

  it('may have 4 MiB, and 32 MiB unpacked', async () => {
    const { id } = await waiting()
    expect((await put(id, 1, Buffer.alloc(4 * 2 ** 20))).status).toBe(204)
    expect((await put(id, 2, gzipSync(Buffer.alloc(32 * 2 ** 20)), { headers: packed })).status).toBe(204)
    await cancel(id)
  })

  it.each(['0', '01', '1001', '-1', '1.0', 'one'])('has no number %s', async (n) => {
    const { id } = await waiting()
    expect((await put(id, n, file)).body).toMatchObject({ error_code: 'VALIDATION_ERROR', property: 'n' })
    await cancel(id)
  })

  it('no other call takes compressed', async () => {
    const bytes = gzipSync(JSON.stringify({ kind: 'FILE' }))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect((await call('createPlan', { bytes, headers })).status).toBe(415)
  })

  it('is not taken once the file is checked, nor is anything left of it', async () => {
    const { id } = await waiting()
    await uploaded(id, file)
    const before = await filesOf(id)
    const { status, body } = await put(id, 1, file)
    expect([status, body]).toMatchObject([409, { error_code: 'PLAN_STATE_CONFLICT' }])
    expect(body.detail).toContain('CHECKING')
    expect((await check(id, sumOf(file))).status).toBe(409)
    expect(await filesOf(id)).toEqual(before)
    await cancel(id)
  })

  it('belongs to a plan that waits', async () => {
    expect((await put('no-plan', 1, file)).body.error_code).toBe('PLAN_NOT_FOUND')
    expect((await check('no-plan', sumOf(file))).body.error_code).toBe('PLAN_NOT_FOUND')
    const { id } = (await create({ kind: 'SELECTION', select: { all: true }, change: { action: 'LOCK' } })).body
    expect((await put(id, 1, file)).body.error_code).toBe('PLAN_STATE_CONFLICT')
    expect(await filesOf(id)).toEqual([])
    await cancel(id)
  })
})

describe('a check', () => {
  it.each<[what: string, said: object, property: string]>([
    ['another number of parts', { parts: 1 }, 'parts'],
    ['parts that are missing', { parts: 3 }, 'parts'],
    ['another size', { bytes: file.length + 1 }, 'bytes'],
    ['another sum', { sha256: '0'.repeat(64) }, 'sha256'],
  ])('refuses %s, and the plan waits as before', async (_, said, property) => {
    const { id } = await waiting()
    await put(id, 1, file.subarray(0, 3))
    await put(id, 2, file.subarray(3))
    const { status, body } = await check(id, { ...sumOf(file, 2), ...said })
    expect([status, body]).toMatchObject([400, { error_code: 'PLAN_FILE_INCOMPLETE', property }])
    expect(await get(id)).toMatchObject({ state: 'WAITING', fault: null })
    expect((await check(id, sumOf(file, 2))).status).toBe(202)
    await cancel(id)
  })

  it('needs the number of rows where people may be absent', async () => {
    const { id } = await waiting({ mode: 'FULL', absent: 'DELETE', ...everybody })
    expect((await uploaded(id, file)).body).toMatchObject({ error_code: 'VALIDATION_ERROR', property: 'rows' })
    expect((await check(id, { ...sumOf(file), rows: 1 })).status).toBe(202)
    await cancel(id)
  })

  it('takes a sum in capital letters', async () => {
    const { id } = await waiting()
    await put(id, 1, file)
    const { sha256, ...said } = sumOf(file)
    expect((await check(id, { ...said, sha256: sha256.toUpperCase() })).status).toBe(202)
    expect((await get(id)).request.file).toEqual({ bytes: file.length, sha256 })
    await cancel(id)
  })
})

describe('a large file', () => {
  const piece = Buffer.alloc(24 * 2 ** 20, 'user,Sales\n')
  const whole = { parts: 3, bytes: 3 * piece.length }
  const sha256 = [1, 2, 3].reduce((sum) => sum.update(piece), createHash('sha256')).digest('hex')
  const planOf = async (id: string) => (await plans.read(service.store, id)) as Plan & { file: FileSum }
  const worker = (timeLeft = 60_000) => ({ store: service.store, clock: service.now, timeLeft: () => timeLeft })
  // One file for all: it stays as it is until the last of them.
  let id: string
  beforeAll(async () => {
    id = (await waiting()).id
    for (const n of [1, 2, 3]) await put(id, n, gzipSync(piece), { headers: packed })
  })
  afterAll(() => cancel(id))

  it.each<[what: string, said: object, detail: string]>([
    ['another sum', { sha256: '0'.repeat(64) }, 'sha256 must be that of the uploaded file'],
    ['another size', { bytes: 1 }, `bytes must be the size of the uploaded file, which is ${whole.bytes}`],
    ['another number of parts', { parts: 4 }, 'parts must be the number of parts, and part 4 is missing'],
  ])('of %s waits again, and says so', async (_, said, detail) => {
    const { expires_at } = await get(id)
    expect((await check(id, { ...whole, sha256, ...said })).status).toBe(202)
    await work(service, id)
    const fault = { code: 'PLAN_FILE_INCOMPLETE', detail }
    expect(await get(id)).toMatchObject({ state: 'WAITING', fault, expires_at, progress: null })
  })

  it('is compared by workers, who go on where the last one has ended', async () => {
    expect((await put(id, 1, gzipSync(piece), { headers: packed })).status).toBe(204)
    const { status, body } = await check(id, { ...whole, sha256 })
    expect([status, body]).toMatchObject([202, { state: 'CHECKING', progress: null, fault: null }])
    const seen: number[] = []
    // The last of them has time, the others make one step each.
    for (const timeLeft of [1, 1, 60_000, 60_000, 60_000]) {
      const plan = await planOf(id)
      if (await isComplete(worker(timeLeft) as never, plan)) break
      seen.push((await get(id)).progress.done)
    }
    expect(seen).toEqual([2 ** 20, 2 * 2 ** 20, 34 * 2 ** 20, 66 * 2 ** 20, whole.bytes])
    expect((await planOf(id)).file).toEqual({ ...whole, sha256, rows: null, summed: expect.any(String) })
    expect(await isComplete(worker() as never, await planOf(id))).toBe(true)
  })
})

describe('files', () => {
  it('go when a plan is cancelled', async () => {
    const { id } = await waiting()
    await put(id, 1, file)
    expect(await filesOf(id)).toHaveLength(1)
    await cancel(id)
    await work(service, id)
    expect(await filesOf(id)).toEqual([])
  })

  it('go when nobody has them checked for a day', async () => {
    const { id, expires_at } = await waiting()
    await put(id, 1, file)
    const before = service.now()
    service.setNow(new Date(Date.parse(expires_at) - 1))
    await work(service, id)
    expect(await get(id)).toMatchObject({ state: 'WAITING' })
    service.setNow(expires_at)
    expect(await get(id)).toMatchObject({ state: 'EXPIRED' })
    expect((await put(id, 2, file)).body.error_code).toBe('PLAN_STATE_CONFLICT')
    await work(service, id)
    expect(await get(id)).toMatchObject({ state: 'EXPIRED', finished_at: expires_at })
    expect(await filesOf(id)).toEqual([])
    service.setNow(before)
  })
})
