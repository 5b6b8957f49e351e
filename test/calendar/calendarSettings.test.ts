import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { timeZoneNamed } from '../../domain/calendar/calendar.ts'
import { calendarKey } from '../../domain/table/keys.ts'
import { type Any, call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({ indexes: 'none' })
  writes = countWrites(service)
})
beforeEach(async () => {
  await service.store.bulk([{ delete: calendarKey }])
  service.setNow('2026-11-21T09:00:00.000Z')
})

const defaults = {
  time_zone: 'UTC',
  week_start: 'MONDAY',
  working_days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
  working_hours: { start: '09:00', end: '17:00' },
  default_event_duration_minutes: 30,
  default_reminder_minutes: 15,
  event_creation: 'EVERYONE',
  show_participant_list: true,
}
const others = {
  time_zone: 'Europe/Berlin',
  week_start: 'SUNDAY',
  working_days: ['SUNDAY', 'MONDAY'],
  working_hours: { start: '00:00', end: '23:59' },
  default_event_duration_minutes: 1440,
  default_reminder_minutes: 0,
  event_creation: 'ADMINS',
  show_participant_list: false,
}
const get = async (): Promise<Any> => (await call('getCalendarSettings')).body
const patch = (body: unknown, as = 'admin') => call('updateCalendarSettings', { body, as })

describe('the calendar settings', () => {
  it('have defaults', async () => {
    expect(await get()).toEqual({ ...defaults, updated_at: null, updated_by: null })
    const { status, body } = await call('viewCalendarSettings', { as: 'plain' })
    expect([status, body]).toEqual([200, { ...defaults, updated_at: null }])
  })

  it('are what the last patch made of them, for administrators with whose it was', async () => {
    const { status, body } = await patch(others, 'admin-2')
    const expected = { ...others, working_days: ['MONDAY', 'SUNDAY'], updated_at: service.now().toISOString() }
    expect([status, body]).toEqual([200, { ...expected, updated_by: 'admin-2' }])
    expect(await get()).toEqual(body)
    expect((await call('viewCalendarSettings', { as: 'plain' })).body).toEqual(expected)
    expect((await call('viewCalendarSettings')).body, 'an administrator sees no more there').toEqual(expected)
  })

  it('are taken from a merge patch by its own name', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const { status } = await call('updateCalendarSettings', { body: { week_start: 'SATURDAY' }, headers })
    expect([status, (await get()).week_start]).toEqual([200, 'SATURDAY'])
  })

  it('can be changed by the user alone', async () => {
    for (const name of ['getCalendarSettings', 'updateCalendarSettings'])
      expect((await call(name, { body: {}, as: 'plain' })).body.error_code).toBe('PERMISSION_MISSING')
  })
})

describe('a patch', () => {
  it.each(Object.keys(defaults) as (keyof typeof defaults)[])('of %s alone changes nothing else', async (field) => {
    await patch({ [field]: others[field] })
    expect(await get()).toMatchObject({ ...defaults, [field]: (await patch({})).body[field] })
    expect((await get())[field]).not.toEqual(defaults[field])
  })

  it.each(Object.keys(defaults) as (keyof typeof defaults)[])('with null for %s', async (field) => {
    await patch(others)
    const { status, body } = await patch({ [field]: null })
    // No reminder is a choice, not the default.
    expect([status, body[field]]).toEqual([200, field === 'default_reminder_minutes' ? null : defaults[field]])
    expect(await get()).toEqual(body)
  })

  it.each<[string, object[], object]>([
    ['an end', [{ end: '16:30' }], { start: '09:00', end: '16:30' }],
    ['a start, then an end', [{ start: '07:00' }, { end: '08:00' }], { start: '07:00', end: '08:00' }],
    ['both, then null for one', [{ start: '07:00', end: '18:00' }, { start: null }], { start: '09:00', end: '18:00' }],
    ['nothing', [{}], { start: '09:00', end: '17:00' }],
  ])('of working hours with %s is merged', async (_what, patches, expected) => {
    for (const working_hours of patches) expect((await patch({ working_hours })).status).toBe(200)
    expect((await get()).working_hours).toEqual(expected)
  })

  it('answers days in the order of the week, whatever the week starts with', async () => {
    const working_days = ['SUNDAY', 'FRIDAY', 'MONDAY', 'WEDNESDAY']
    const { body } = await patch({ working_days, week_start: 'SUNDAY' })
    expect(body.working_days).toEqual(['MONDAY', 'WEDNESDAY', 'FRIDAY', 'SUNDAY'])
    expect((await patch({ working_days: [] })).body.working_days).toEqual([])
  })

  it.each<[string, object]>([
    ['of nothing', {}],
    ['of what holds by default', defaults],
    ['of days in another order', { working_days: [...defaults.working_days].reverse() }],
    ['of what cannot be changed', { updated_at: '2020-01-01T00:00:00.000Z', updated_by: 'plain' }],
  ])('%s changes nothing, who and when included', async (_what, body) => {
    const before = await get()
    const count = writes()
    expect(await patch(body)).toMatchObject({ status: 200, body: before })
    await patch({ show_participant_list: false }, 'admin-2')
    const changed = await get()
    service.setNow('2026-11-22T09:00:00.000Z')
    await patch({ ...body, show_participant_list: false })
    expect(await get()).toEqual(changed)
    expect(writes() - count).toBe(1)
  })

  it('sent back as it was read is accepted', async () => {
    await patch(others)
    const before = await get()
    expect(await patch(before)).toMatchObject({ status: 200, body: before })
  })
})

describe('two at once', () => {
  it('that change different fields are both kept', async () => {
    for (let round = 0; round < 5; round++) {
      await service.store.bulk([{ delete: calendarKey }])
      const patches = Object.entries(others).map(([field, value]) => ({ [field]: value }))
      const answers = await Promise.all(patches.map((body) => patch(body)))
      expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200))
      expect(await get()).toMatchObject({ ...others, working_days: ['MONDAY', 'SUNDAY'] })
    }
  })

  it('that are sound by themselves never make hours that end before they start', async () => {
    const [early, late] = [patch({ working_hours: { end: '10:00' } }), patch({ working_hours: { start: '11:00' } })]
    const statuses = (await Promise.all([early, late])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 400])
    const { start, end } = (await get()).working_hours
    expect(start < end).toBe(true)
  })
})

describe('what does not fit is refused, by its name:', () => {
  const rows: [property: string, body: unknown][] = [
    ...['+01:00', '-0530', 'UTC+1', 'Mars/Olympus', 'IST', 'PST', 'CEST', '', 'Berlin', 'Europe/Berlin ', 'Etc/Unknown']
      .concat(['SystemV/PST8PDT', 'x'.repeat(65), 'Europe/B\u0131rlin', 'Europe', 'localtime'])
      .map((time_zone): [string, unknown] => ['time_zone', { time_zone }]),
    ['time_zone', { time_zone: 1 }],
    ['week_start', { week_start: 'TUESDAY' }],
    ['week_start', { week_start: 'monday' }],
    ['working_days', { working_days: 'MONDAY' }],
    ['working_days', { working_days: ['MONDAY', 'MONDAY'] }],
    ['working_days.1', { working_days: ['MONDAY', 'FUNDAY'] }],
    ['working_days.0', { working_days: [null] }],
    ['working_hours', { working_hours: '09:00-17:00' }],
    ['working_hours', { working_hours: { start: '17:00', end: '09:00' } }],
    ['working_hours', { working_hours: { start: '09:00', end: '09:00' } }],
    ['working_hours', { working_hours: { start: '17:00' } }],
    ['working_hours', { working_hours: { end: '08:59' } }],
    ['working_hours.start', { working_hours: { start: '9:00' } }],
    ['working_hours.end', { working_hours: { end: '24:00' } }],
    ['working_hours.end', { working_hours: { end: '17:60' } }],
    ['working_hours.end', { working_hours: { end: 17 } }],
    ['working_hours.lunch', { working_hours: { lunch: '12:00' } }],
    ...[4, 1441, 0, -5, 30.5, '30'].map((value): [string, unknown] => [
      'default_event_duration_minutes',
      { default_event_duration_minutes: value },
    ]),
    ...[-1, 40321, 1.5, '15'].map((value): [string, unknown] => [
      'default_reminder_minutes',
      { default_reminder_minutes: value },
    ]),
    ['event_creation', { event_creation: 'NOBODY' }],
    ['show_participant_list', { show_participant_list: 'yes' }],
    ['timezone', { timezone: 'UTC' }],
    ['body', []],
  ]
  it.each(rows)('%s in %j', async (property, body) => {
    const answer = await patch(body)
    expect(answer.body).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', property })
    expect(answer.body.errors.map((one: Any) => one.property)).toContain(property)
    expect(await get()).toMatchObject({ ...defaults, updated_at: null })
  })

  it('all of it at once', async () => {
    const { body } = await patch({
      time_zone: 'Mars/Olympus',
      week_start: 'X',
      working_hours: { start: '18:00' },
      show_participant_list: 1,
      more: 1,
    })
    const named = body.errors.map((one: Any) => one.property).sort()
    expect(named).toEqual(['more', 'show_participant_list', 'time_zone', 'week_start', 'working_hours'])
  })
})

describe('a time zone', () => {
  it.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['US/Pacific', 'US/Pacific'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['GMT', 'GMT'],
    ['Japan', 'Japan'],
    ['EST5EDT', 'EST5EDT'],
  ])('%s is kept as %s', async (time_zone, kept) => {
    await patch({ show_participant_list: false, time_zone })
    expect((await get()).time_zone).toBe(kept)
  })

  it('is any that this machine knows', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(timeZoneNamed(name)).toBe(name)
  })
})
