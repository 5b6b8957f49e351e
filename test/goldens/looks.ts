import { type Any, call } from '../harness/call.ts'
import type { Looks } from './golden.ts'

/** When something was last changed depends on when noted work was done. */
const without = (names: readonly string[], value: Any): Any => {
  if (Array.isArray(value)) return value.map((one) => without(names, one))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, without(names, one)]))
}

/** All rows of a list, page by page. */
export async function rowsOf(endpoint: string, request: Any = {}, from?: string): Promise<Any[]> {
  const rows: Any[] = []
  let page_cursor = from
  do {
    const page = { page_limit: 100, ...(page_cursor ? { page_cursor } : {}) }
    const { status, body } = await call(endpoint, { ...request, query: { ...request.query, ...page } })
    if (status === 404 || status === 409) return [status]
    if (status !== 200) throw new Error(`${endpoint}: ${status} ${JSON.stringify(body)}`)
    const { pagination, ...rest } = body
    rows.push(...(Object.values(rest).find(Array.isArray) as Any[]))
    page_cursor = pagination.next_cursor ?? undefined
  } while (page_cursor)
  return rows
}

/** What names a row of a list. */
export const nameOfRow = ({ id, role_id, user }: Any): string => JSON.stringify(id ?? role_id ?? user?.id)

/** Looks at everything that the cases change. */
export async function lookAround(): Promise<Looks> {
  const looks: Looks = {}
  const look = async (endpoint: string, request: Any = {}) => {
    const rows = await rowsOf(endpoint, request)
    looks[`${endpoint} ${JSON.stringify(request)}`] = without(['updated_at', 'next_attempt_at'], rows)
  }
  await look('listUsers')
  await look('listUsers', { query: { search_term: 'crowd' } })
  const groups = await rowsOf('listGroups')
  await look('listGroups', { query: { embed: 'NUMBER_OF_CONTAINED_USERS,PATH', sort: 'CREATED_AT_ASC' } })
  for (const { id } of groups) await look('listGroupAssignments', { path: { group_id: id } })
  for (const { id } of await rowsOf('listChannels')) {
    await look('listChannelAssignments', { path: { channel_id: id } })
    await look('listChannelGroups', { path: { channel_id: id } })
  }
  await look('listChannels')
  await look('listRoles')
  await look('listRules')
  const tasks = await rowsOf('listTasks', { query: { distribution_kind: 'DISTRIBUTED' } })
  await look('listTasks', { query: { distribution_kind: 'DISTRIBUTED' } })
  for (const { id } of tasks) await look('listTaskAssignments', { path: { task_id: id } })
  for (const as of ['bob', 'c-0', 'c-50'])
    await look('listOwnTaskAssignments', { query: { distribution_kind: 'RECEIVED' }, as })
  const deliveries = await rowsOf('listDeliveries', { path: { webhook_id: 'hook' } })
  looks['deliveries'] = deliveries.map(({ type }) => type).sort()
  const events = await rowsOf('listEvents', { query: { from: '2026-11-01T00:00:00.000Z' } })
  looks['events'] = events.map(({ type, record }) => `${type} ${record.kind} ${record.id}`).sort()
  return looks
}
