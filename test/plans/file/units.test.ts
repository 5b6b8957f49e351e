import { beforeAll, describe, expect, it } from 'vitest'
import { testClient } from '../../harness/client.ts'
import { keepLedger } from '../../harness/ledger.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { cancel, get, work } from '../plans.ts'
import { checking, csv } from './plansOfFiles.ts'

// What checking a file reads: at most 0.7 units a row where half of the users are in it, else 1.1 (contract section 16).

const PEOPLE = 1_000
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
async function unitsOf(fields: Field[], rows: number, { other = {}, ...options }: Any = {}): Promise<number> {
  const cells = crowd
    .slice(0, rows)
    .map((user) => fields.map((field) => other[field]?.(user) ?? user[field as 'id'] ?? ''))
  const { id } = await checking(csv(fields, ...cells), { match_by: fields[0]?.toUpperCase(), ...options }, rows)
  const ledger = await keepLedger(service.client, testClient())
  const { entry } = await ledger.of(() => work(service, id))
  ledger.close()
  const plan = await get(id)
  expect([plan.state, plan.counts]).toMatchObject(['READY', { rows, faults: 0, creations: 0 }])
  await cancel(id)
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
    ['by external id, with usernames', ['external_id', 'username', 'location']],
    ['by external id, with e-mail addresses', ['external_id', 'email', 'location']],
    ['by external id, with names', ['external_id', 'first_name', 'last_name']],
  ])('%s', async (_, fields, options) => {
    expect(await unitsOf(fields, PEOPLE / 2, options)).toBeLessThanOrEqual(0.7)
  })
})

describe('a row of a file with all users reads at most 0.7 units:', () => {
  it.each<[string, Field[], Any?]>([
    ['by external id alone', ['external_id', 'location']],
    ['by username', ['username', 'location']],
    [
      'where others would be absent',
      ['external_id', 'location'],
      { mode: 'FULL', absent: 'DEACTIVATE', absent_among: { all: true } },
    ],
  ])('%s', async (_, fields, options) => {
    expect(await unitsOf(fields, PEOPLE, options)).toBeLessThanOrEqual(0.7)
  })
})

describe('every other row reads at most 1.1 units:', () => {
  it.each<[string, Field[], number, Any?]>([
    ['half of the users by external id alone', ['external_id', 'location'], PEOPLE / 2],
    [
      'half of the users, with other e-mail addresses',
      ['external_id', 'email'],
      PEOPLE / 2,
      { other: { email: (user: Any) => `new.${user.id}@example.org` } },
    ],
    ['a fifth of the users', ['external_id', 'username'], PEOPLE / 5],
  ])('%s', async (_, fields, rows, options) => {
    expect(await unitsOf(fields, rows, { limits: { changed_percent: 100 }, ...options })).toBeLessThanOrEqual(1.1)
  })
})
