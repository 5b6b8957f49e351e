import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import { groupItems } from '../../domain/people/records/group.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { users as userRecords } from '../../domain/people/records/user.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'

import { userRecord } from '../../test/harness/seed.ts'
import { booked } from './growth.ts'
import { atMost, exactly, info, type Row, type Say, shown } from './report.ts'
import { timed } from './timing.ts'
import { caller, enter, newWorld, type World } from './world.ts'

const GROUPS = 5
const MEMBERS = 5_000
/** Every group shares three quarters of its members with the next. */
const STEP = 1_250
const PEOPLE = STEP * (GROUPS - 1) + MEMBERS
const MOST_WAVES = 4
const channel_id = 'crowded'

/**
 * P4: a channel to which five overlapping groups of 5,000 give a role: the cost of a page, and each user exactly
 * once.
 */
export async function crowdedChannel(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  await fill(world)
  const first = await booked(world, 'listChannelAssignments', { path: { channel_id } })
  enter(world, world.client)
  const firstPage = await caller('listChannelAssignments', { path: { channel_id } })
  await firstPage()
  const ms = await timed(firstPage)
  const { listed, distinct, total } = await walked(say)
  const what = `channel of ${GROUPS} groups of ${MEMBERS}`
  return [
    atMost('P4', `${what}: waves of the first page`, first.waves, MOST_WAVES),
    info('P4', `${what}: read units of the first page`, `${first.reads}`),
    info('P4', `${what}: time of the first page`, `${shown(ms)} ms`),
    exactly(
      'P4',
      `${what}: entries, distinct, total`,
      `${listed}, ${distinct}, ${total}`,
      `${PEOPLE}, ${PEOPLE}, ${PEOPLE}`,
    ),
  ]
}

async function fill({ store, now }: World): Promise<void> {
  const localized = { title: [{ language: 'en-GB', text: 'Crowd' }], description: [] }
  const dates = { created_at: now, updated_at: now }
  const people = Array.from({ length: PEOPLE }, (_, n) => userRecord({ id: `u-${n}`, last_name: `Lind ${n}` }, now))
  const groups = Array.from({ length: GROUPS }, (_, n) => ({
    id: `crowd-${n}`,
    members: people.slice(n * STEP).slice(0, MEMBERS),
  }))
  await store.bulk(
    [
      channels.item({ id: channel_id, ...localized, status: 'ACTIVE', default_role_id: 'channel-member', ...dates }),
      ...people.map(userRecords.item),
      ...groups.flatMap(({ id, members }) => [
        ...groupItems({
          id,
          external_id: null,
          ...localized,
          type: 'CUSTOM',
          status: 'ACTIVE',
          parent_id: 'root',
          ...dates,
        }),
        ...attachmentItems(channel_id, { group_id: id, role_id: 'channel-member' }),
        { ...groupCountKey(id, 0), [roleCount('coach')]: MEMBERS },
        ...members.map((user) => groupAssignmentItem(user, { group: id, role: 'coach', source: 'MANUAL' })),
      ]),
    ].map((put) => ({ put })),
  )
}

async function walked(say: Say) {
  const seen = new Set<string>()
  let listed = 0
  for (let page = 1; ; page++) {
    const query = { page_number: String(page), page_limit: '100' }
    const call = await caller('listChannelAssignments', { path: { channel_id }, query })
    const { assignments, pagination } = JSON.parse(String(await call()))
    for (const { id } of assignments) seen.add(`${id.user_id} ${id.role_id}`)
    listed += assignments.length
    say(`${listed} of ${PEOPLE} read`)
    if (page >= pagination.total_pages)
      return { listed, distinct: seen.size, total: pagination.total_elements as number }
  }
}
