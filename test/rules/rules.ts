import { expect } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'

/** A condition on the department, with the operator EQUALS. */
export const inDepartment = (...values: string[]) => ({ field: 'ATTRIBUTE:department', operator: 'EQUALS', values })

/** The attributes of somebody in a department. */
export const department = (value: string | null) =>
  value === null ? { attributes: null } : { attributes: [{ name: 'department', value }] }

/** A rule that gives the role of a member in a group to everybody in Sales, as a creation takes it. */
export const ruleBody = (id: string, user_group_id: string, parts: object = {}) => ({
  id,
  title: `Rule ${id}`,
  user_group_id,
  role_id: 'group-member',
  conditions: [inDepartment('Sales')],
  ...parts,
})

export const createRule = (id: string, user_group_id: string, parts: object = {}): Promise<Reply> =>
  call('createRule', { body: ruleBody(id, user_group_id, parts) })
export const updateRule = (rule_id: string, body: object): Promise<Reply> =>
  call('updateRule', { path: { rule_id }, body })
export const deleteRule = (rule_id: string): Promise<Reply> => call('deleteRule', { path: { rule_id } })

export async function newUser(id: string, parts: object = {}): Promise<string> {
  const reply = await call('createUser', {
    body: { ...ordinary, id, first_name: 'Fi', last_name: id, username: id, ...parts },
  })
  expect(reply.status).toBe(201)
  return id
}
export const updateUser = (user_id: string, body: object): Promise<Reply> =>
  call('updateUser', { path: { user_id }, body })

export async function newGroup(id: string): Promise<string> {
  const body = { id, title: [{ language: 'en-GB', text: id }], parent_id: 'root' }
  expect((await call('createGroup', { body })).status).toBe(201)
  return id
}

export const give = (group_id: string, user_id: string, role_id = 'group-member'): Promise<Reply> =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })
export const withdraw = (group_id: string, user_id: string, role_id = 'group-member'): Promise<Reply> =>
  call('deleteGroupAssignment', { path: { group_id, user_id, role_id } })

/** The source of an assignment; undefined if there is none. */
export async function sourceOf(
  group_id: string,
  user_id: string,
  role_id = 'group-member',
): Promise<string | undefined> {
  const { status, body } = await call('getGroupAssignment', { path: { group_id, user_id, role_id } })
  return status === 200 ? body.source : undefined
}

/** What the schedule does so many seconds later. */
export async function later(service: Service, seconds = 180): Promise<void> {
  const clock = () => new Date(service.now().getTime() + seconds * 1000)
  await finishOverdue({ store: service.store, clock, timeLeft: () => 60_000, log: () => {} })
}

/**
 * Makes a first rule, which waits, and lets it be applied: the rules of a test after it are applied at once. A minute passes,
 * so that no call remembers that there are no rules.
 */
export async function firstRule(service: Service): Promise<void> {
  await newGroup('first')
  const { status, body } = await createRule('first', 'first', { conditions: [inDepartment('nowhere')] })
  expect([status, body.state]).toEqual([201, 'APPLYING'])
  await later(service)
  expect((await readRule('first')).state).toBe('READY')
  service.setNow(new Date(service.now().getTime() + 60_000))
}

export const readRule = async (rule_id: string): Promise<Any> => (await call('getRule', { path: { rule_id } })).body

/** Removes users past their deadline. */
export const purge = (service: Service) =>
  purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })

/** What the events of a user say that they hold in groups, by group and role. */
export async function heldByEvents(user_id: string): Promise<Record<string, string>> {
  const held: Record<string, string> = {}
  let page_cursor: string | undefined
  do {
    const query = { sort: 'TIME_ASC', page_limit: 100, ...(page_cursor ? { page_cursor } : {}) }
    const { body } = await call('listUserEvents', { path: { user_id }, query })
    for (const { type, record, changes } of body.events) {
      const [group = '', , role = ''] = String(record.id).split('~')
      const source = changes.find(({ field }: Any) => field === 'source')?.after
      if (type === 'user_group_assignment.deleted') delete held[`${group}#${role}`]
      else if (type.startsWith('user_group_assignment.')) held[`${group}#${role}`] = source
    }
    page_cursor = body.pagination.next_cursor ?? undefined
  } while (page_cursor)
  return held
}
