import { expect, it, vi } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import type { WorkerContext } from '../../domain/work/workThrough.ts'
import { audit, dump } from '../harness/audit.ts'
import { call, type Request } from '../harness/call.ts'
import { type StoreFault, strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { ordinary, people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'

// Ten administrators do anything at once while the store fails in every way. Then what events tell is what is stored: the
// audit follows the events of each record.

/** A long run: `RUNS=500 npx vitest run test/events/chains.test.ts`. */
const OPERATIONS = runs(200)
const AT_ONCE = 5

/** Numbers that look random, the same in every run. */
function dice(seed: number): <T>(values: readonly T[]) => T {
  let state = seed
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return values[Math.floor((state / 2 ** 32) * values.length)] as (typeof values)[number]
  }
}

const title = (text: string) => [{ language: 'en-GB', text }]
const [subjects, groups, channels, roles, tasks] = [
  ['u-1', 'u-2', 'u-3', 'u-4'],
  ['g-1', 'g-2'],
  ['c-1'],
  ['r-1'],
  ['t-1', 't-2'],
]

/** One call of any kind, on one of few records, so that calls meet. */
function anything(any: <T>(values: readonly T[]) => T): [name: string, request: Request] {
  const [user, group, channel, role, task] = [any(subjects), any(groups), any(channels), any(roles), any(tasks)]
  const text = any(['A', 'B', 'C'])
  const user_id = { path: { user_id: user } }
  const created = {
    ...ordinary,
    id: user,
    username: user,
    first_name: text,
    last_name: 'X',
    primary_user_group_id: group,
  }
  const assigned = { group_id: group, user_id: user, role_id: 'coach' }
  const assignment_id = `${task}~${user}`
  return any<[string, Request]>([
    ['createUser', { body: created }],
    ['createUser', { body: { ...created, primary_user_group_id: 'all-users' } }],
    ['updateUser', { ...user_id, body: { first_name: text, attributes: [{ name: 'department', value: text }] } }],
    ['updateUser', { ...user_id, body: { primary_user_group_id: any([group, 'all-users']) } }],
    [any(['lockUser', 'unlockUser', 'deactivateUser', 'reactivateUser']), user_id],
    [any(['unlockUser', 'reactivateUser', 'restoreUser', 'restoreUser', 'deleteUser']), user_id],
    ['updateUsers', { body: { items: subjects.map((id) => ({ id, body: { last_name: text } })) } }],
    ['createGroup', { body: { id: group, title: title(text), parent_id: 'root' } }],
    ['updateGroup', { path: { group_id: group }, body: { title: title(text) } }],
    [any(['archiveGroup', 'restoreGroup', 'restoreGroup']), { path: { group_id: group } }],
    ['createGroupAssignment', { path: { group_id: group }, body: { user_id: user, role_id: 'coach' } }],
    ['deleteGroupAssignment', { path: assigned }],
    ['createChannel', { body: { id: channel, title: title(text) } }],
    ['updateChannel', { path: { channel_id: channel }, body: { title: title(text) } }],
    [any(['archiveChannel', 'restoreChannel']), { path: { channel_id: channel } }],
    ['createChannelGroup', { path: { channel_id: channel }, body: { user_group_id: group } }],
    ['deleteChannelGroup', { path: { channel_id: channel, user_group_id: group } }],
    ['createChannelAssignment', { path: { channel_id: channel, user_id: user }, body: { role_id: 'channel-member' } }],
    ['deleteChannelAssignment', { path: { channel_id: channel, user_id: user, role_id: 'channel-member' } }],
    ['createRole', { body: { id: role, title: title(text), scope: 'CHANNELS' } }],
    ['updateRole', { path: { role_id: role }, body: { title: title(text) } }],
    ['deleteRole', { path: { role_id: role } }],
    ['updateCalendarSettings', { body: { week_start: any(['MONDAY', 'SUNDAY']) } }],
    ['createTask', { body: { id: task, title: text, recipients: [{ id: user, type: 'USER' }] }, as: 'author' }],
    ['updateTask', { path: { task_id: task }, body: { title: text }, as: 'author' }],
    ['addTaskAssignments', { path: { task_id: task }, body: { user_ids: [user] }, as: 'author' }],
    ['deleteTaskAssignment', { path: { assignment_id }, as: 'author' }],
    [any(['finishTaskAssignment', 'openTaskAssignment']), { path: { assignment_id }, as: user }],
    ['getTask', { path: { task_id: task }, as: user }],
  ])
}

it('events tell what is stored, whatever the store does', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const admins = Array.from({ length: 9 }, (_, n) => ({
    id: `boss-${n}`,
    username: `boss-${n}`,
    role: 'ADMIN' as const,
  }))
  const author = { id: 'author', username: 'author', role: 'ADMIN' as const }
  const service = await startService({ users: [...people, author, ...admins] })
  const any = dice(7)
  const faults: (StoreFault | undefined)[] = ['conflict', 'lostAnswer', ...Array(28).fill(undefined)]
  const statuses = new Map<string, number>()
  let moment = service.now().getTime()
  for (const id of groups) await call('createGroup', { body: { id, title: title('A'), parent_id: 'root' } })
  for (const id of subjects)
    await call('createUser', { body: { ...ordinary, id, username: id, first_name: 'A', last_name: 'X' } })
  for (const id of channels) await call('createChannel', { body: { id, title: title('A') } })
  for (const id of tasks)
    await call('createTask', {
      body: { id, title: 'A', recipients: subjects.map((user) => ({ id: user, type: 'USER' })) },
      as: 'author',
    })
  for (let n = 0; n < OPERATIONS; n += AT_ONCE) {
    moment += 1000
    service.setNow(new Date(moment))
    // Now and then the process of all of them dies.
    const isLast = n % 50 === 45
    const { heal } = strike(service.client, (nth) => (isLast && nth === 9 ? 'death' : any(faults)))
    const calls = Array.from({ length: AT_ONCE }, () => anything(any))
    const replies = await Promise.allSettled(
      calls.map(([name, request]) => call(name, { as: any(admins).id, ...request })),
    ).finally(heal)
    for (const reply of replies)
      if (reply.status === 'fulfilled')
        statuses.set(String(reply.value.status), (statuses.get(String(reply.value.status)) ?? 0) + 1)
  }
  moment += 3_600_000
  service.setNow(new Date(moment))
  const context: WorkerContext = { store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} }
  await finishOverdue(context)
  await purgeUsers(context)
  await audit(service)
  const written = (await dump(service)).filter(({ pk }) => pk.startsWith('EVENTS#'))
  expect(new Set(written.map(({ actor }) => actor)).size).toBeGreaterThan(8)
  expect(written.length).toBeGreaterThan(OPERATIONS / 5)
  expect((statuses.get('200') ?? 0) + (statuses.get('201') ?? 0)).toBeGreaterThan(OPERATIONS / 10)
})
