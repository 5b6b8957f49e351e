import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { isDay, momentOf } from '../../domain/base/moments.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { ImportRefused } from '../../domain/import/importErrors.ts'
import { type Any, call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'

// Days and moments keep to one set of rules, whatever they are of and whichever way they come in.

const days = ['0001-01-01', '2024-02-29', '2000-02-29', '9999-12-31']
const noDays = [
  '',
  ' ',
  '0000-01-01',
  '0000-12-31',
  '2023-02-29',
  '1900-02-29',
  '2030-02-30',
  '2030-04-31',
  '2030-00-10',
  '2030-13-01',
  '2030-01-00',
  '2030-01-32',
  '2030-1-1',
  '20300101',
  '+02030-01-01',
  '10000-01-01',
  '2030-01-01\n',
  ' 2030-01-01',
  '2030-01-01T00:00:00Z',
  '２０３０-01-01',
]

const moments: [given: string, stored: string][] = [
  ['2030-01-31T09:00:00Z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31t09:00:00z', '2030-01-31T09:00:00.000Z'],
  ['2030-01-31T09:00:00.5+05:30', '2030-01-31T03:30:00.500Z'],
  ['2030-01-31T09:00:00.123999999999-00:00', '2030-01-31T09:00:00.123Z'],
  ['2028-02-29T23:59:59.999-23:59', '2028-03-01T23:58:59.999Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59+14:00', '9999-12-31T09:59:59.000Z'],
]
const early: typeof moments = [
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0000-12-31T23:59:59-01:00', '0001-01-01T00:59:59.000Z'],
]
const noMoments = [
  '',
  'soon',
  '2030-02-30T00:00:00Z',
  '2023-02-29T12:00:00+01:00',
  '2030-04-31T23:59:59Z',
  '9999-12-31T23:59:59-14:00',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+00:01',
  '+010000-01-01T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-01-01T23:60:00Z',
  '2016-12-31T23:59:60Z',
  '2030-01-01T00:00:00+24:00',
  '2030-01-01T00:00:00+01:60',
  '2030-01-01T00:00:00+0100',
  '2030-01-01T00:00:00+01',
  '2030-01-01T00:00:00',
  '2030-01-01T00:00Z',
  '2030-01-01T00:00:00.Z',
  '2030-01-01T00:00:00,5Z',
  '2030-01-01 00:00:00Z',
  '2030-01-01T00:00:00Z\n',
  '2030-01-01',
  '1893456000',
]

describe('the rules', () => {
  it.each(days)('%j is a day', (day) => expect(isDay(day)).toBe(true))
  it.each(noDays)('%j is no day', (day) => expect(isDay(day)).toBe(false))
  it.each([...moments, ...early])('%j is the moment %s', (text, stored) => expect(momentOf(text)).toBe(stored))
  it.each(noMoments)('%j is no moment', (text) => expect(momentOf(text)).toBeUndefined())

  it('hold for whatever a clock shows in any zone', () => {
    const date = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (moment, minutes) => {
        const shown = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1)
        const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const zone = [hours, rest].map((part) => String(part).padStart(2, '0')).join(':')
        expect(momentOf(`${shown}${minutes < 0 ? '-' : '+'}${zone}`)).toBe(moment.toISOString())
      }),
    )
  })

  it('hold for days that only look like some', () => {
    const part = (max: number, length: number) =>
      fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, '0'))
    fc.assert(
      fc.property(part(9999, 4), part(13, 2), part(33, 2), (year, month, day) => {
        const last = new Date(0)
        last.setUTCFullYear(Number(year), Number(month), 0)
        const isThere = year > '0000' && month > '00' && month < '13' && day > '00' && Number(day) <= last.getUTCDate()
        expect(isDay([year, month, day].join('-'))).toBe(isThere)
        expect(momentOf(`${year}-${month}-${day}T12:00:00Z`) !== undefined).toBe(isThere)
      }),
    )
  })
})

describe('they hold for', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    const task = { id: 'drill', title: 'Drill', recipients }
    expect((await call('createTask', { body: task })).status).toBe(201)
  })

  const recipients = [{ id: 'plain', type: 'USER' }]
  const person = (n: number) => ({ id: `u-${n}`, username: `u-${n}`, first_name: 'U', last_name: 'U', role: 'USER' })
  const dated = (value: string) => [{ name: 'joined_on', value }]
  const patched = (name: string, path: Record<string, string>) => (body: object) => call(name, { path, body })
  const refusal = ({ status, body }: Any) => [status, body.error_code, body.property]

  it('values of DATE attributes', async () => {
    const create = (value: string, n: number) =>
      call('createUser', { body: { ...person(n), status: 'ACTIVE', attributes: dated(value) } })
    const patch = (value: string) => patched('updateUser', { user_id: 'plain' })({ attributes: dated(value) })
    for (const [n, day] of days.entries()) {
      expect((await create(day, n)).body.attributes).toEqual(dated(day))
      expect((await patch(day)).body.attributes).toEqual(dated(day))
    }
    for (const [n, day] of noDays.entries())
      for (const reply of [await create(day, n), await patch(day)])
        expect(refusal(reply), day).toEqual([400, 'INVALID_DATE_ATTRIBUTE_FORMAT', 'attributes.0.value'])
  })

  it('due dates of tasks', async () => {
    const create = (due_at: object) => call('createTask', { body: { title: 'T', recipients, due_at } })
    const patch = (due_at: object) => patched('updateTask', { task_id: 'drill' })({ due_at })
    const on = (date: string) => ({ due_at_type: 'DATE', date })
    const at = (date_time: string) => ({ due_at_type: 'DATE_TIME', date_time })
    const sound = [...days.map((day) => [on(day), on(day)]), ...[...moments, ...early].map(([a, b]) => [at(a), at(b)])]
    for (const [given, stored] of sound as [object, object][])
      for (const reply of [await create(given), await patch(given)]) expect(reply.body.due_at).toEqual(stored)
    const faulty = [
      ...noDays.map((day) => [on(day), 'due_at.date']),
      ...noMoments.map((one) => [at(one), 'due_at.date_time']),
    ]
    for (const [given, property] of faulty as [object, string][])
      for (const reply of [await create(given), await patch(given)])
        expect(refusal(reply), JSON.stringify(given)).toEqual([400, 'INVALID_DUE_DATE', property])
  })

  const bringIn = ({ store, now }: Service, directory: object) =>
    importDirectory({ store, now: now().toISOString(), clock: now, newId: randomUUID }, directory)

  it('what an import brings', async () => {
    const leaving = moments.map(([deletion_at], n) => ({ ...person(100 + n), status: 'PENDING_DELETION', deletion_at }))
    const gone = early.map(([deletion_at], n) => ({ ...person(200 + n), status: 'PENDING_DELETION', deletion_at }))
    const tasks = [...moments, ...early].map(([date_time], n) => ({
      id: `t-${n}`,
      author_id: 'admin',
      title: 'T',
      body: {},
      due_at: { due_at_type: 'DATE_TIME', date_time },
    }))
    const task_assignments = tasks.map(({ id }) => ({ task_id: id, user_id: 'plain' }))
    await bringIn(service, { users: [...leaving, ...gone], tasks, task_assignments })
    const shown = async (n: number) => (await call('getUser', { path: { user_id: `u-${n}` } })).body.deletion_at
    const due = async (n: number) => (await call('getTask', { path: { task_id: `t-${n}` } })).body.due_at.date_time
    for (const [n, [, stored]] of moments.entries()) expect(await shown(100 + n)).toBe(stored)
    for (const n of early.keys()) expect(await shown(200 + n)).toBeUndefined()
    for (const [n, [, stored]] of [...moments, ...early].entries()) expect(await due(n)).toBe(stored)
  })

  it('what an import is refused for', async () => {
    const task = (due_at: object, n: number) => ({ id: `w-${n}`, author_id: 'admin', title: 'T', body: {}, due_at })
    const users = [
      ...noMoments.map((deletion_at, n) => ({ ...person(300 + n), status: 'PENDING_DELETION', deletion_at })),
      ...noDays.map((value, n) => ({ ...person(400 + n), attributes: dated(value) })),
    ]
    const tasks = [
      ...noMoments.map((date_time) => ({ due_at_type: 'DATE_TIME', date_time })),
      ...noDays.map((date) => ({ due_at_type: 'DATE', date })),
    ].map(task)
    const task_assignments = tasks.map(({ id }) => ({ task_id: id, user_id: 'plain' }))
    const thrown: Any = await bringIn(service, { users, tasks, task_assignments }).catch((error) => error)
    expect(thrown).toBeInstanceOf(ImportRefused)
    const places = thrown.faults.map(({ section, index, property }: Any) => `${section}.${index}.${property}`)
    expect(places.sort()).toEqual(
      [
        ...noMoments.map((_, n) => `users.${n}.deletion_at`),
        ...noDays.map((_, n) => `users.${noMoments.length + n}.attributes.0.value`),
        ...noMoments.map((_, n) => `tasks.${n}.due_at.date_time`),
        ...noDays.map((_, n) => `tasks.${noMoments.length + n}.due_at.date`),
      ].sort(),
    )
  })
})
