import { randomUUID } from 'node:crypto'
import type { ImportContext } from '../../domain/import/importContext.ts'
import type { Item } from '../../domain/table/store.ts'
import { dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'

/** What an import of a test needs, at the service's time. */
export const contextOf = ({ store, now }: Service): ImportContext => ({
  store,
  now: now().toISOString(),
  clock: now,
  newId: randomUUID,
})

const title = (text: string) => [{ language: 'en-GB', text }]

/** A small directory with something of everything: a new one for each call, so that tests may change it. */
export const small = (): Any => ({
  organisation: {
    default_language: 'en-GB',
    languages: ['en-GB', 'de-DE'],
    features: { tasks: true, user_deactivation: true },
  },
  roles: [
    { id: 'coach', title: title('Coach'), scope: 'USER_GROUPS', type: 'CUSTOM', permissions: ['GROUP_VIEW'] },
    {
      id: 'auditor',
      title: title('Auditor'),
      scope: 'USER_GROUPS',
      type: 'CUSTOM',
      permissions: [],
      assignable: false,
    },
    { id: 'editor', title: title('Editor'), scope: 'CHANNELS', type: 'CUSTOM', permissions: [] },
    { id: 'auditor-2', title: title('Auditor'), scope: 'CHANNELS', type: 'CUSTOM', permissions: [], assignable: false },
  ],
  user_groups: [
    { id: 'top', title: title('Top'), type: 'ROOT' },
    { id: 'everybody', title: title('Everybody'), type: 'ALL_USERS', parent_id: 'top' },
    { id: 'sales', title: title('Sales'), type: 'CUSTOM', parent_id: 'top', external_id: 'G-1' },
    { id: 'sales-north', title: title('North'), type: 'CUSTOM', parent_id: 'sales', external_id: 'G-2' },
    { id: 'closed', title: title('Closed'), type: 'CUSTOM', parent_id: 'top', status: 'ARCHIVED' },
  ],
  attribute_definitions: [
    { technical_name: 'joined_on', title: title('Joined on'), attribute_type: 'DATE', user_permission: 'EDIT' },
  ],
  users: [
    { id: 'ada', username: 'ada', first_name: 'Ada', last_name: 'Keller', role: 'ADMIN', external_id: 'E-1' },
    {
      id: 'ben',
      username: 'ben',
      first_name: ' Ben ',
      last_name: 'Öhman',
      email: 'ben@example.com',
      external_id: 'E-2',
      primary_user_group_id: 'sales',
      attributes: [
        { name: 'department', value: 'Sales' },
        { name: 'joined_on', value: '2024-02-29' },
      ],
      tags: [{ name: 'mentor' }],
    },
    { username: 'cleo', first_name: 'Cleo', last_name: 'Nobody', status: 'LOCKED' },
    { id: 'dan', username: 'dan', first_name: 'Dan', last_name: 'Leaving', status: 'PENDING_DELETION' },
    { id: 'eve', username: 'eve', first_name: 'Eve', last_name: 'Service', role: 'ADMIN', protected: true },
  ],
  user_group_assignments: [
    { group_id: 'sales', user_id: 'ben', role_id: 'user-group-member', source: 'PRIMARY' },
    { group_id: 'sales', user_id: 'ben', role_id: 'coach', source: 'MANUAL' },
    { group_id: 'sales-north', user_id: 'ada', role_id: 'user-group-member', source: 'RULE' },
    { group_id: 'everybody', user_id: 'ada', role_id: 'user-group-member', source: 'MANUAL' },
    { group_id: 'closed', user_id: 'dan', role_id: 'coach', source: 'MANUAL' },
  ],
  channels: [
    { id: 'news', title: title('News'), default_role_id: 'channel-member' },
    { id: 'old', title: title('Old news'), default_role_id: 'editor', status: 'ARCHIVED' },
  ],
  channel_user_groups: [{ channel_id: 'news', group_id: 'sales', role_id: 'editor' }],
  channel_assignments: [
    { channel_id: 'news', user_id: 'ada', role_id: 'channel-owner' },
    { channel_id: 'old', user_id: 'ben', role_id: 'editor' },
  ],
  tasks: [
    {
      id: 'drill',
      author_id: 'ada',
      title: 'Fire drill',
      body: { plain: 'Out!', html: null },
      due_at: { due_at_type: 'DATE', date: '2026-12-24' },
    },
    {
      id: 'note',
      author_id: 'ben',
      title: 'Note to myself',
      body: {},
      due_at: { due_at_type: 'DATE_TIME', date_time: '2026-12-24T10:00:00+01:00' },
      external_id: 'T-2',
    },
  ],
  task_assignments: [
    { task_id: 'drill', user_id: 'ben', progress_status: 'OPEN' },
    { task_id: 'drill', user_id: 'dan' },
    { task_id: 'note', user_id: 'ben', progress_status: 'FINISHED' },
  ],
})

/** The table with counters summed over their shards, in the order of its keys: what two tables must have in common. */
export async function summed(service: Service): Promise<Record<string, Item>> {
  const all: Record<string, Item> = {}
  for (const item of await dump(service)) {
    const isShard = (item.pk === 'USERS' || /^(GROUP|ROLE)#/.test(item.pk)) && item.sk.startsWith('N#')
    const name = `${item.pk} ${isShard ? 'N#' : item.sk}`
    all[name] = isShard ? sumOf(all[name], item) : item
  }
  const isEmpty = ({ pk: _pk, sk: _sk, ...counts }: Item) => Object.values(counts).every((count) => count === 0)
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name, item]) => !name.endsWith(' N#') || !isEmpty(item))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function sumOf(sum: Item | undefined, shard: Item): Item {
  const total: Item = { pk: shard.pk, sk: 'N#', ...sum }
  for (const [name, value] of Object.entries(shard))
    if (name !== 'pk' && name !== 'sk')
      total[name] = typeof value === 'number' ? Number(total[name] ?? 0) + value : value
  return total
}
