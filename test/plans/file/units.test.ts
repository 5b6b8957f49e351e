import { beforeAll, describe, expect, it } from 'vitest'
import { exists } from '../../../domain/table/expressions.ts'
import { userKey } from '../../../domain/table/keys.ts'
import { testClient } from '../../harness/client.ts'
import { keepLedger } from '../../harness/ledger.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { cancel, get, work } from '../plans.ts'
import { checking, csv } from './plansOfFiles.ts'

// What checking a file reads: at most 0.7 units a row where half of the users are in it, else 1.1 (contract section 16).

const full = { mode: 'FULL', absent: 'DEACTIVATE', absent_among: { all: true } }

const PEOPLE = 1_000
/** Half of all users: the crowd, and the people of every test. */
const HALF = Math.ceil((PEOPLE + people.length) / 2)
const crowd = Array.from({ length: PEOPLE }, (_, n) => ({
  id: `u-${n}`,
  username: `user.${n}`,
  external_id: `E-${n}`,
  email: `${n}@example.org`,
  first_name: `Íris ${n}`,
  last_name: `O'Niel ${n}`,
}))

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crowd],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

type Field = keyof (typeof crowd)[number] | 'location'

/** Checks a file of the first of these people. Returns the units that a row has read. */
async function unitsOf(
  fields: Field[],
  rows: number,
  { other = {}, expected = ['READY'], ...options }: Any = {},
): Promise<number> {
  const cells = crowd
    .slice(0, rows)
    .map((user) => fields.map((field) => other[field]?.(user) ?? user[field as 'id'] ?? ''))
  const { id } = await checking(csv(fields, ...cells), { match_by: fields[0]?.toUpperCase(), ...options }, rows)
  const ledger = await keepLedger(service.client, testClient())
  const { entry } = await ledger.of(() => work(service, id))
  ledger.close()
  const plan = await get(id)
  const [state, counts = {}] = expected
  expect([plan.state, plan.counts]).toMatchObject([state, { rows, faults: 0, creations: 0, ...counts }])
  if (plan.state === 'READY') await cancel(id)
  return entry.reads / rows
}

// biome-ignore lint/suspicious/noExplicitAny: options of any file
type Any = any

describe('a row of a file with half of the users reads at most 0.7 units:', () => {
  it.each<[string, Field[], Any?]>([
    ['by id', ['id', 'location']],
    ['by username', ['username', 'location']],
    [
      'by username in another case',
      ['username', 'location'],
      { other: { username: (user: Any) => ` ${user.username.toUpperCase()}` } },
    ],
    ['by external id alone', ['external_id', 'location']],
    ['by external id, with usernames', ['external_id', 'username', 'location']],
    ['by external id, with e-mail addresses', ['external_id', 'email', 'location']],
    ['by external id, with names', ['external_id', 'first_name', 'last_name']],
    // The limit allows 51 of 1,004 users to be absent: more are not read, and not noted.
    [
      'where the others are more absent users than the limits allow',
      ['external_id', 'location'],
      { ...full, expected: ['REFUSED', { absent: 100, planned: 100 }] },
    ],
    ['so by username', ['username', 'location'], { ...full, expected: ['REFUSED', { absent: 100, planned: 100 }] }],
    ['so by id', ['id', 'location'], { ...full, expected: ['REFUSED', { absent: 100, planned: 100 }] }],
    [
      'where the file is about nobody else',
      ['external_id', 'location'],
      { ...full, absent_among: { status: 'LOCKED' }, expected: ['READY', { absent: 0 }] },
    ],
  ])('%s', async (_, fields, options) => {
    expect(await unitsOf(fields, HALF, options)).toBeLessThanOrEqual(0.7)
  })
})

describe('a row of a file with all users reads at most 0.7 units:', () => {
  it.each<[string, Field[], Any?]>([
    ['by external id alone', ['external_id', 'location']],
    ['by username', ['username', 'location']],
    ['where others would be absent', ['external_id', 'location'], full],
  ])('%s', async (_, fields, options) => {
    expect(await unitsOf(fields, PEOPLE, options)).toBeLessThanOrEqual(0.7)
  })
})

describe('every other row reads at most 1.1 units:', () => {
  it.each<[string, Field[], number, Any?]>([
    [
      'half of the users, each with another e-mail address',
      ['external_id', 'email'],
      HALF,
      { other: { email: (user: Any) => `new.${user.id}@example.org` }, limits: { changed_percent: 100 } },
    ],
    ['a fifth of the users', ['external_id', 'username'], PEOPLE / 5],
    ['two fifths of the users', ['external_id', 'username'], PEOPLE * 0.4],
    [
      'half of the users, where the others become absent',
      ['external_id', 'location'],
      HALF,
      {
        ...full,
        limits: { lifecycle_percent: 100, changed_percent: 100 },
        expected: ['READY', { absent: PEOPLE - HALF }],
      },
    ],
  ])('%s', async (_, fields, rows, options) => {
    expect(await unitsOf(fields, rows, options)).toBeLessThanOrEqual(1.1)
  })
})

describe('of users whom an earlier release has written', () => {
  beforeAll(async () => {
    const hints = crowd.map(({ id }) => service.store.get(userKey(id)))
    for (const item of await Promise.all(hints)) {
      if (!item) throw new Error('A user is missing')
      const hint = String(item['hint']).replace(/([^\w-][\w-]{3}|~)$/, '')
      await service.store.write([{ update: { pk: item.pk, sk: item.sk }, set: { hint }, if: exists }])
    }
  })

  it.each<[string, number, Any?]>([
    ['half of the users by external id alone', HALF],
    ['two fifths of the users by external id alone', PEOPLE * 0.4],
    ['a fifth of the users by external id alone', PEOPLE / 5],
  ])('a row reads at most 1.1 units: %s', async (_, rows, options) => {
    expect(await unitsOf(['external_id', 'location'], rows, options)).toBeLessThanOrEqual(1.1)
  })
})
