import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../../harness/audit.ts'
import { type Any, call } from '../../harness/call.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { giveToken } from '../../harness/serviceTokens.ts'
import { applied, cancel, changes, faults } from '../plans.ts'
import { checkedFile, csv } from './plansOfFiles.ts'

// What a row does to one person.

let service: Service
const deadline = '2026-12-05T09:00:00.000Z'
beforeAll(async () => {
  service = await startService({
    users: [
      ...people,
      {
        ...{
          id: 'erna',
          username: 'Erna',
          external_id: 'E1',
          first_name: 'Erna',
          last_name: 'One',
          email: 'erna@x.org',
        },
        ...{ tags: [{ name: 'crew' }, { name: 'night' }], attributes: [{ name: 'department', value: 'Sales' }] },
      },
      { id: 'lock', username: 'lock', external_id: 'E2', status: 'LOCKED' },
      { id: 'gone', username: 'gone', external_id: 'E3' },
      { id: 'gone-locked', username: 'gone-locked', external_id: 'E4', status: 'LOCKED' },
      { id: 'leaver', username: 'leaver', external_id: 'E5' },
      { id: 'nameless', username: 'nameless' },
      { id: 'boss', username: 'boss', external_id: 'E7', role: 'ADMIN' },
      { id: 'robot', username: 'robot', external_id: 'E9', protected: true },
      { id: 'turkish', username: 'ismail', external_id: 'İ1' },
    ],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
  for (const user_id of ['gone', 'gone-locked']) await call('deactivateUser', { path: { user_id } })
  for (const user_id of ['leaver', 'nameless']) await call('deleteUser', { path: { user_id } })
})

type Case = {
  name: string
  columns: string[]
  cells: string[]
  options?: object
  token?: string[]
  /** Action and fields: `field: before → after`. */
  plans?: [string, ...string[]][]
  faults?: [column: string | null, code: string][]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const shown = ({ action, fields }: Any): string[] => [
  action,
  ...fields.map(({ field, before, after }: Any) => `${field}: ${text(before)} → ${text(after)}`),
]

/** Checks the rows of a file, and says what is planned of them. The plan is cancelled. */
async function judged(file: string, options: object, request: object = {}) {
  const plan = await checkedFile(service, file, options, undefined, request)
  const found = { plan, changes: await changes(plan.id), faults: await faults(plan.id) }
  if (plan.state === 'READY') await cancel(plan.id)
  return found
}

const names = ['external_id', 'username', 'first_name', 'last_name']
const cases: Case[] = [
  { name: 'equal values', columns: [...names, 'email'], cells: ['E1', 'Erna', 'Erna', 'One', 'erna@x.org'] },
  { name: 'an empty cell', columns: ['external_id', 'email', 'department'], cells: ['E1', '', ''] },
  {
    name: 'only what differs',
    columns: [...names, 'email'],
    cells: ['E1', 'Erna', 'Ernestine', 'One', 'e@x.org'],
    plans: [['UPDATE', 'first_name: Erna → Ernestine', 'email: erna@x.org → e@x.org']],
  },
  {
    name: 'CLEAR',
    columns: ['external_id', 'email', 'department', 'tags'],
    cells: ['E1', '', '', ''],
    options: { empty: 'CLEAR' },
    plans: [
      ['UPDATE', 'email: erna@x.org → null', 'tags: ["crew","night"] → []', 'attribute:department: Sales → null'],
    ],
  },
  {
    name: 'attributes merge, and tags are replaced',
    columns: ['external_id', 'attribute:location', 'tags'],
    cells: ['E1', 'Bern', 'night|day'],
    plans: [['UPDATE', 'tags: ["crew","night"] → ["night","day"]', 'attribute:location: null → Bern']],
  },
  { name: 'tags in another order', columns: ['external_id', 'tags'], cells: ['E1', 'night|crew'] },
  {
    name: 'a group by its title',
    columns: ['external_id', 'primary_user_group'],
    cells: ['E1', 'gruppe sales'],
    plans: [['UPDATE', 'primary_user_group: all-users → sales']],
  },
  {
    name: 'a group that does not exist',
    columns: ['external_id', 'primary_user_group'],
    cells: ['E1', 'nowhere'],
    faults: [['primary_user_group', 'UNKNOWN_USER_GROUP_ID']],
  },
  {
    name: 'an archived group',
    columns: ['external_id', 'primary_user_group'],
    cells: ['E1', 'archived'],
    faults: [['primary_user_group', 'UNKNOWN_USER_GROUP_ID']],
  },
  {
    name: 'the key in another case is no change',
    columns: ['username', 'last_name'],
    cells: ['ERNA', 'One'],
    options: { match_by: 'USERNAME' },
  },
  {
    name: 'a username in another case is one, where it is not the key',
    columns: ['external_id', 'username'],
    cells: ['E1', 'erna'],
    plans: [['UPDATE', 'username: Erna → erna']],
  },
  { name: 'a Turkish capital as key', columns: ['external_id', 'username'], cells: ['İ1', 'ismail'] },
  {
    name: 'a new key creates',
    columns: [...names, 'tags', 'department'],
    cells: ['N1', 'nina', ' Nina ', 'New', 'a|b', 'Sales'],
    plans: [
      [
        'CREATE',
        'first_name: null → Nina',
        'last_name: null → New',
        'username: null → nina',
        'external_id: null → N1',
        'status: null → ACTIVE',
        'role: null → USER',
        'tags: null → ["a","b"]',
        'attribute:department: null → Sales',
      ],
    ],
  },
  {
    name: 'a new key with an id and a status',
    columns: ['id', 'username', 'first_name', 'last_name', 'status', 'primary_user_group'],
    cells: ['new-1', 'nina', 'Nina', 'New', 'DEACTIVATED', 'sales'],
    options: { match_by: 'ID' },
    plans: [
      [
        'CREATE',
        'first_name: null → Nina',
        'last_name: null → New',
        'username: null → nina',
        'status: null → DEACTIVATED',
        'role: null → USER',
        'primary_user_group: null → sales',
      ],
    ],
  },
  {
    name: 'a new key without names',
    columns: names,
    cells: ['N1', '', 'Nina', ''],
    faults: [
      ['last_name', 'VALIDATION_ERROR'],
      ['username', 'VALIDATION_ERROR'],
    ],
  },
  {
    name: 'a new user with a username that is taken',
    columns: names,
    cells: ['N1', 'ERNA', 'Nina', 'New'],
    faults: [['username', 'USERNAME_ALREADY_EXISTS']],
  },
  {
    name: 'a new user with an id that is taken',
    columns: [...names, 'id'],
    cells: ['N1', 'nina', 'Nina', 'New', 'plain'],
    faults: [['id', 'USER_ID_ALREADY_EXISTS']],
  },
  {
    name: 'another id than that of the user',
    columns: ['external_id', 'id'],
    cells: ['E1', 'plain'],
    faults: [['id', 'VALIDATION_ERROR']],
  },
  {
    name: 'several values that PATCH would refuse',
    columns: ['external_id', 'first_name', 'email', 'department', 'preferred_language'],
    cells: ['E1', 'x'.repeat(65), 'no-mail', 'y'.repeat(256), 'fr-FR'],
    faults: [
      ['department', 'MAX_LENGTH_EXCEEDED'],
      ['email', 'VALIDATION_ERROR'],
      ['first_name', 'MAX_LENGTH_EXCEEDED'],
      ['preferred_language', 'LANGUAGE_NOT_ENABLED'],
    ],
  },
  { name: 'wanted ACTIVE and LOCKED, without unlock', columns: ['external_id', 'status'], cells: ['E2', 'ACTIVE'] },
  {
    name: 'wanted ACTIVE and LOCKED, with unlock',
    columns: ['external_id', 'status'],
    cells: ['E2', 'ACTIVE'],
    options: { unlock: true },
    plans: [['UNLOCK', 'status: LOCKED → ACTIVE']],
  },
  {
    name: 'wanted LOCKED',
    columns: ['external_id', 'status', 'first_name'],
    cells: ['E1', 'LOCKED', 'Ernestine'],
    plans: [
      ['UPDATE', 'first_name: Erna → Ernestine'],
      ['LOCK', 'status: ACTIVE → LOCKED'],
    ],
  },
  {
    name: 'wanted ACTIVE and DEACTIVATED',
    columns: ['external_id', 'status'],
    cells: ['E3', 'ACTIVE'],
    plans: [['REACTIVATE', 'status: DEACTIVATED → ACTIVE']],
  },
  {
    name: 'wanted ACTIVE and DEACTIVATED while locked, without unlock',
    columns: ['external_id', 'status'],
    cells: ['E4', 'ACTIVE'],
    plans: [['REACTIVATE', 'status: DEACTIVATED → LOCKED']],
  },
  {
    name: 'wanted ACTIVE and DEACTIVATED while locked, with unlock',
    columns: ['external_id', 'status'],
    cells: ['E4', 'ACTIVE'],
    options: { unlock: true },
    plans: [
      ['REACTIVATE', 'status: DEACTIVATED → LOCKED'],
      ['UNLOCK', 'status: LOCKED → ACTIVE'],
    ],
  },
  {
    name: 'wanted LOCKED and DEACTIVATED',
    columns: ['external_id', 'status'],
    cells: ['E3', 'LOCKED'],
    plans: [
      ['REACTIVATE', 'status: DEACTIVATED → ACTIVE'],
      ['LOCK', 'status: ACTIVE → LOCKED'],
    ],
  },
  {
    name: 'wanted DEACTIVATED',
    columns: ['external_id', 'status'],
    cells: ['E2', 'DEACTIVATED'],
    plans: [['DEACTIVATE', 'status: LOCKED → DEACTIVATED']],
  },
  {
    name: 'pending deletion',
    columns: ['external_id', 'first_name'],
    cells: ['E5', 'Some'],
    faults: [[null, 'USER_MODIFICATION_NOT_ALLOWED']],
  },
  {
    name: 'pending deletion, RESTORE',
    columns: ['external_id', 'first_name'],
    cells: ['E5', 'Back'],
    options: { pending: 'RESTORE' },
    plans: [
      ['RESTORE', 'first_name: Some → Back', 'status: PENDING_DELETION → ACTIVE', `deletion_at: ${deadline} → null`],
    ],
  },
  {
    name: 'pending deletion, RESTORE and LOCKED',
    columns: ['external_id', 'status'],
    cells: ['E5', 'LOCKED'],
    options: { pending: 'RESTORE' },
    plans: [
      ['RESTORE', 'status: PENDING_DELETION → ACTIVE', `deletion_at: ${deadline} → null`],
      ['LOCK', 'status: ACTIVE → LOCKED'],
    ],
  },
  {
    name: 'pending deletion, by USERNAME with another external id',
    columns: ['username', 'external_id'],
    cells: ['leaver', 'E55'],
    options: { pending: 'RESTORE', match_by: 'USERNAME' },
    faults: [['username', 'USERNAME_ALREADY_EXISTS']],
  },
  {
    name: 'pending deletion, by USERNAME with the same external id',
    columns: ['username', 'external_id'],
    cells: ['leaver', 'E5'],
    options: { pending: 'RESTORE', match_by: 'USERNAME' },
    plans: [['RESTORE', 'status: PENDING_DELETION → ACTIVE', `deletion_at: ${deadline} → null`]],
  },
  {
    name: 'pending deletion, by USERNAME where only the row has an external id',
    columns: ['username', 'external_id'],
    cells: ['nameless', 'E6'],
    options: { pending: 'RESTORE', match_by: 'USERNAME' },
    plans: [
      ['RESTORE', 'external_id: null → E6', 'status: PENDING_DELETION → ACTIVE', `deletion_at: ${deadline} → null`],
    ],
  },
  {
    name: 'a new user with the username of a leaver',
    columns: names,
    cells: ['N1', 'leaver', 'Nina', 'New'],
    faults: [['username', 'USERNAME_ALREADY_EXISTS']],
  },
  { name: 'a protected user who is so already', columns: ['external_id', 'first_name'], cells: ['E9', 'Some'] },
  {
    name: 'a protected user',
    columns: ['external_id', 'first_name'],
    cells: ['E9', 'Other'],
    faults: [[null, 'USER_MODIFICATION_NOT_ALLOWED']],
  },
  {
    name: 'an administrator, by a token without the scope',
    columns: ['external_id', 'email'],
    cells: ['E7', 'boss@x.org'],
    token: ['USERS'],
    faults: [['email', 'PERMISSION_MISSING']],
  },
  {
    name: 'the role of an administrator, by a token without the scope',
    columns: [...names, 'role'],
    cells: ['N1', 'nina', 'Nina', 'New', 'ADMIN'],
    token: ['USERS'],
    faults: [['role', 'PERMISSION_MISSING']],
  },
  {
    name: 'the first name of an administrator, by a token without the scope',
    columns: ['external_id', 'first_name'],
    cells: ['E7', 'Bob'],
    token: ['USERS'],
    plans: [['UPDATE', 'first_name: Some → Bob']],
  },
]

describe('a row', () => {
  it.each(cases)('$name', async ({ columns, cells, options = {}, token, plans = [], faults: wrong = [] }) => {
    const request = token ? { token: await giveToken(service, token as never) } : {}
    const found = await judged(csv(columns, cells), options, request)
    expect(found.changes.map(shown)).toEqual(plans)
    expect(found.faults.map(({ column, code }) => [column, code]).sort()).toEqual(wrong)
    expect(found.plan.counts).toMatchObject({
      ...{ rows: 1, planned: plans.length, faults: Math.min(1, wrong.length) },
      unchanged: plans.length + wrong.length === 0 ? 1 : 0,
    })
    for (const { detail } of found.faults)
      for (const cell of cells) if (cell.length > 6) expect(detail).not.toContain(cell)
  })

  it('of a new external id for oneself locks nobody out', async () => {
    const found = await judged(csv(['id', 'status'], ['admin', 'LOCKED']), { match_by: 'ID' })
    expect(found.faults).toMatchObject([{ code: 'ACTOR_MUST_NOT_CHANGE_ITSELF' }])
  })
})

describe('somebody who has come since the check', () => {
  type Key = 'external_id' | 'username' | 'id'
  it.each<[what: string, n: number, key: Key, came: object, outcome: string, code: string]>([
    ['has the external id that is the key', 1, 'external_id', { external_id: 'key-1' }, 'SKIPPED', 'CHANGED_SINCE'],
    [
      'has the username that is the key, in another case',
      2,
      'username',
      { username: 'KEY-2' },
      'SKIPPED',
      'CHANGED_SINCE',
    ],
    ['has the id that is the key', 3, 'id', { id: 'key-3' }, 'SKIPPED', 'CHANGED_SINCE'],
    ['has another name of the row', 4, 'external_id', { username: 'name-4' }, 'FAILED', 'USERNAME_ALREADY_EXISTS'],
  ])('%s: nobody is created', async (_, n, key, came, outcome, code) => {
    const named = key === 'username' ? {} : { username: `name-${n}` }
    const row = { [key]: `key-${n}`, first_name: 'Sina', last_name: 'Ce', ...named }
    const plan = await checkedFile(service, csv(Object.keys(row), Object.values(row)), { match_by: key.toUpperCase() })
    expect(plan.counts).toMatchObject({ creations: 1, planned: 1 })
    const somebody = { username: `came-${n}`, first_name: 'Ca', last_name: 'Me', role: 'USER', status: 'ACTIVE' }
    expect((await call('createUser', { body: { ...somebody, ...came } })).status).toBe(201)
    expect((await applied(service, plan)).counts).toMatchObject({ planned: 1, done: 0 })
    expect(await changes(plan.id)).toMatchObject([{ outcome, error: { code } }])
  })
})

it('two rows with one key are both faults, in whatever case they are written', async () => {
  const file = csv(['username', 'first_name'], ['erna', 'A'], ['lock', 'B'], ['ERNA', 'C'])
  const { plan, faults: found } = await judged(file, { match_by: 'USERNAME' })
  expect(found.map(({ row, column, code }) => [row, column, code])).toEqual([
    [1, 'username', 'VALIDATION_ERROR'],
    [3, 'username', 'VALIDATION_ERROR'],
  ])
  expect(plan.counts).toMatchObject({ rows: 3, faults: 2, planned: 1 })
})

it('a second plan of a file whose changes were all made is empty', async () => {
  const file = csv(
    ['external_id', 'username', 'first_name', 'last_name', 'status', 'tags', 'joined_on', 'primary_user_group'],
    ['E1', 'erna.2', 'Erna', 'Two', 'LOCKED', 'x|y', '2026-01-31', 'Group sales'],
    ['N9', 'nina.9', 'Nina', 'Nine', 'DEACTIVATED', '', '', ''],
    ['E5', 'leaver', 'Lea', 'Ver', 'LOCKED', '', '', 'sales'],
    ['E3', 'gone', 'Go', 'Ne', 'LOCKED', '', '', ''],
  )
  const plan = await checkedFile(service, file, { pending: 'RESTORE' })
  const done = await applied(service, plan)
  expect(done.counts).toMatchObject({ rows: 4, creations: 1, planned: 8, done: 8 })
  const again = await judged(file, { pending: 'RESTORE' })
  expect([again.changes, again.plan.counts]).toMatchObject([[], { rows: 4, unchanged: 4, faults: 0 }])
  await audit(service)
})
