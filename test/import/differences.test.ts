import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../../domain/import/importErrors.ts'
import { countKept, differenceLines, emptySummary, totalOf } from '../../domain/import/importSummary.ts'
import { usernameKey } from '../../domain/table/keys.ts'
import { recordSchemas } from '../../schemas/directory.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const fresh = () => ({
  external_id: 'E-3',
  first_name: 'Fay',
  last_name: 'Young',
  email: 'fay@example.com',
  required_actions: ['VERIFY_EMAIL', 'UPDATE_PASSWORD'],
  attributes: [
    { name: 'location', value: 'Bern' },
    { name: 'department', value: 'Sales' },
  ],
  tags: [{ name: 'b' }, { name: 'a' }],
  profile_picture: { file_id: 'f-1' },
  primary_user_group_id: 'sales',
})

/** Each property of a user, another value of it, and how it is cleared where it can be. */
const others: [property: string, value: unknown, cleared: unknown][] = [
  ['username', 'fay.young', undefined],
  ['external_id', 'E-9', null],
  ['first_name', 'Faye', undefined],
  ['last_name', 'young', undefined],
  ['email', 'Fay@example.com', null],
  ['status', 'LOCKED', undefined],
  ['role', 'ADMIN', undefined],
  ['required_actions', ['VERIFY_EMAIL'], null],
  ['attributes', [{ name: 'location', value: 'Basel' }], null],
  ['tags', [{ name: 'a' }], []],
  ['profile_picture', { file_id: 'f-2' }, null],
  ['primary_user_group_id', 'everybody', null],
  ['protected', true, undefined],
]

/** A user for each of these changes, so that one import shows all. */
const changes = others.flatMap(([property, ...values]) =>
  values.filter((value) => value !== undefined).map((value) => ({ property, value })),
)
const alike = () =>
  changes.map((_, n) => ({ ...fresh(), id: `like-${n}`, username: `like-${n}`, external_id: `L-${n}` }))

/** The small directory, and people and tasks that have something everywhere. */
const whole = (): Any => {
  const file = small()
  file.users.push(
    { id: 'fay', username: 'fay', ...fresh() },
    {
      id: 'gil',
      username: 'gil',
      first_name: 'Gil',
      last_name: 'Gone',
      status: 'PENDING_DELETION',
      deletion_at: '2026-12-01T12:00:00.000Z',
    },
    {
      id: 'hal',
      username: 'hal',
      external_id: 'E-4',
      first_name: 'Hal',
      last_name: 'Late',
      status: 'PENDING_DELETION',
      deletion_at: '2026-11-21T09:00:01.000Z',
    },
  )
  file.users.push(...alike())
  file.tasks.push({ id: 'rich', author_id: 'ada', title: 'Rich', body: { html: '<p>Hello</p>' }, external_id: 'T-3' })
  file.task_assignments.push({ task_id: 'rich', user_id: 'fay' })
  return file
}

const [ben, cleo, eve, fay, gil] = [1, 2, 4, 5, 6]

let service: Service
beforeAll(async () => {
  service = await emptyTable()
  service.setNow('2026-11-21T09:00:00.000Z')
  await importDirectory(contextOf(service), whole())
  // Hal's time is over, and nothing has removed them yet.
  service.setNow('2026-11-21T10:00:00.000Z')
  await call('updateUser', { as: 'eve', path: { user_id: 'ada' }, body: { primary_user_group_id: 'sales-north' } })
})

type Case = [what: string, change: (directory: Any) => unknown, lines: string[]]

const same: Case[] = [
  ['all of it', () => undefined, []],
  [
    'what the file does not say',
    (d) => {
      const { id, username, first_name, last_name } = d.users[fay]
      d.users[fay] = { id, username, first_name, last_name }
      d.users[cleo] = { username: 'cleo', first_name: 'Cleo', last_name: 'Nobody' }
      d.users[gil] = { id: 'gil', username: 'gil', first_name: 'Gil', last_name: 'Gone' }
      for (const task of d.tasks) {
        delete task.due_at
        delete task.external_id
      }
      for (const assignment of d.task_assignments) delete assignment.progress_status
    },
    [],
  ],
  [
    'null where nothing is stored, or where nothing can be cleared',
    (d) => {
      Object.assign(d.users[cleo], { id: null, email: null, external_id: null, attributes: null, tags: null })
      Object.assign(d.users[cleo], { required_actions: null, profile_picture: null, status: null, role: null })
      Object.assign(d.users[cleo], { primary_user_group_id: null, protected: null, deletion_at: null })
      Object.assign(d.tasks[2], { due_at: null })
      d.task_assignments[2].progress_status = null
    },
    [],
  ],
  [
    'another order, or white space around a name',
    (d) => {
      const user = d.users[fay]
      for (const name of ['attributes', 'tags', 'required_actions']) user[name].reverse()
      user.required_actions.push('VERIFY_EMAIL')
      user.last_name = '  Young '
      d.tasks[2].title = ' Rich '
    },
    [],
  ],
  ['a moment in another zone', (d) => (d.users[gil].deletion_at = '2026-12-01T14:00:00+02:00'), []],
  [
    'a due date in another zone',
    (d) => (d.tasks[1].due_at = { due_at_type: 'DATE_TIME', date_time: '2026-12-24T09:00:00Z' }),
    [],
  ],
  ['HTML that is cleaned to what is stored', (d) => (d.tasks[2].body.html = '<p onclick="x">Hello</p>'), []],
]

const different: Case[] = [
  ['the protection of a user', (d) => (d.users[eve].protected = null), ['users[4]: protected']],
  ['case in the username', (d) => (d.users[cleo].username = 'Cleo'), ['users[2]: username']],
  ['the deadline of a user', (d) => (d.users[gil].deletion_at = '2026-12-01T12:00:00.001Z'), ['users[6]: deletion_at']],
  [
    'a user who is about to go, or gone by now',
    (d) => {
      Object.assign(d.users[fay], { status: 'PENDING_DELETION', deletion_at: '2026-01-01T00:00:00Z' })
      d.users[ben].status = 'PENDING_DELETION'
    },
    ['users[1]: status', 'users[5]: status, deletion_at'],
  ],
  [
    'each property of a user by itself',
    (d) => {
      for (const [n, { property, value }] of changes.entries()) d.users[8 + n][property] = value
    },
    changes.map(({ property }, n) => `users[${8 + n}]: ${property}`),
  ],
  [
    'the source of roles in groups',
    (d) => {
      d.user_group_assignments[1].source = 'RULE'
      d.user_group_assignments[2].source = 'MANUAL'
      d.user_group_assignments.push(
        { group_id: 'sales', user_id: 'fay', role_id: 'user-group-member', source: 'MANUAL' },
        { group_id: 'everybody', user_id: 'eve', role_id: 'user-group-member', source: 'PRIMARY' },
      )
    },
    [1, 2, 5].map((n) => `user_group_assignments[${n}]: source`),
  ],
  [
    'a primary group that has been moved since',
    (d) => {
      d.users[0].primary_user_group_id = 'everybody'
      d.user_group_assignments[3].source = 'PRIMARY'
    },
    ['users[0]: primary_user_group_id', 'user_group_assignments[3]: source'],
  ],
  [
    'all of a task',
    (d) => {
      Object.assign(d.tasks[0], { author_id: 'ben', title: 'Drill', body: { plain: 'In!' }, external_id: 'T-9' })
      d.tasks[0].due_at.date = '2026-12-25'
      Object.assign(d.tasks[1], { due_at: null, external_id: null, body: { plain: 'x' } })
    },
    ['tasks[0]: author_id, title, body, due_at, external_id', 'tasks[1]: body, due_at, external_id'],
  ],
  [
    'the progress of recipients',
    (d) => {
      d.task_assignments[0].progress_status = 'NEW'
      d.task_assignments[2].progress_status = 'OPEN'
    },
    ['task_assignments[0]: progress_status', 'task_assignments[2]: progress_status'],
  ],
]

const refused = async (directory: Any): Promise<string[]> => {
  const error = await importDirectory(contextOf(service), directory).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ImportRefused)
  return faultLines((error as ImportRefused).faults, 100)
}
const person = (parts: object) => ({ username: 'new', first_name: 'N', last_name: 'N', ...parts })

describe('what is stored already', () => {
  const bringIn = async (change: Case[1]) => {
    const before = await dump(service)
    const directory = whole()
    change(directory)
    const summary = await importDirectory(contextOf(service), directory)
    expect(await dump(service)).toEqual(before)
    return summary
  }

  it.each(same)('is the same: %s', async (_what, change, lines) => {
    expect(differenceLines(await bringIn(change), 100)).toEqual(lines)
  })

  it.each(different)('is different, and stays as it is: %s', async (_what, change, lines) => {
    const summary = await bringIn(change)
    expect(differenceLines(summary, 100)).toEqual(lines)
    expect(summary.differences.length).toBe(totalOf(summary, 'different'))
  })

  it('costs no call to the store more than the same file does', async () => {
    const callsOf = async (change: Case[1]) => {
      const { calls, heal } = strike(service.client, () => undefined)
      await bringIn(change).finally(heal)
      return calls.names
    }
    const change = (d: Any) => {
      for (const user of d.users) Object.assign(user, { last_name: 'X', tags: [{ name: 'x' }] })
      for (const task of d.tasks) task.title = 'X'
    }
    expect(await callsOf(change)).toEqual(await callsOf(() => undefined))
  })

  it.each<[string, object, string[]]>([
    [
      'a username',
      { users: [person({ id: 'fay', username: 'BEN' })] },
      ['users[0].username: must not belong to another user'],
    ],
    [
      'the username of somebody who can be restored',
      { users: [person({ id: 'fay', username: 'dan' })] },
      ['users[0].username: must not belong to another user'],
    ],
    [
      'an external id',
      { users: [person({ id: 'fay', external_id: 'E-2' })] },
      ['users[0].external_id: must not belong to another user'],
    ],
    [
      'an external id, of a user who is found by their username',
      { users: [person({ username: 'fay', external_id: 'E-2' })] },
      ['users[0].external_id: must not belong to another user'],
    ],
    [
      'the names of each other',
      { users: [person({ id: 'fay', username: 'ben' }), person({ id: 'ben', username: 'fay' })] },
      ['users[0].username: must not belong to another user', 'users[1].username: must not belong to another user'],
    ],
    [
      'the username of a user that the file renames',
      { users: [person({ username: 'fay' }), person({ id: 'fay', username: 'fay.young' })] },
      ['users[0].username: must not belong to users[1], too'],
    ],
    [
      'the external id of a task',
      { tasks: [{ id: 'rich', author_id: 'ben', title: 'Rich', body: {}, external_id: 'T-2' }] },
      ['tasks[0].external_id: must not belong to another task of its author'],
    ],
  ])('takes what another user of the file has, which is a fault: %s', async (_what, directory, faults) => {
    const before = await dump(service)
    expect(await refused(directory)).toEqual(faults)
    expect(await dump(service)).toEqual(before)
  })

  it.each<[string, object, string]>([
    ['names of somebody who is gone', { username: 'hal', external_id: 'E-4' }, 'username, external_id'],
    [
      'names that nobody needs, as the file speaks of somebody gone',
      { username: 'ben', status: 'PENDING_DELETION', deletion_at: '2026-01-01T00:00:00Z' },
      'username, status, deletion_at',
    ],
  ])('may have %s', async (_what, parts, properties) => {
    const { first_name, last_name } = whole().users[fay]
    const summary = await importDirectory(contextOf(service), {
      users: [{ id: 'fay', first_name, last_name, ...parts }],
    })
    expect(differenceLines(summary, 100)).toEqual([`users[0]: ${properties}`])
  })
})

it('no other user of the file may have the id that follows from a username', async () => {
  const empty = await emptyTable()
  await importDirectory(contextOf(empty), { users: [person({ username: 'zoe' })] })
  const { owner } = (await empty.store.get(usernameKey('zoe'))) as Any
  const users = [person({ username: 'renamed', id: owner }), person({ username: 'zoe' })]
  expect(await refused({ users })).toEqual([`users[1].username: leads to the id of users[0]`])
})

it('of very many differences the answer lists what fits into it, and counts all', () => {
  const summary = emptySummary()
  const properties = Object.keys(recordSchemas.users.properties)
  for (let index = 0; index < 1_000_000; index += 10) countKept(summary, { section: 'users', index }, properties)
  expect(summary.users.different).toBe(100_000)
  expect(summary.differences.length).toBeGreaterThanOrEqual(10_000)
  expect(JSON.stringify(summary).length).toBeLessThan(6_000_000)
  expect(differenceLines(summary, 20).at(-1)).toBe('and 99980 more')
})
