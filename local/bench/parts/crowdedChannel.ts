import { users as userRecords } from '../../../domain/people/records/user.ts'
import { itemOf } from '../../../domain/table/changes.ts'
import { userRecord } from '../../../test/harness/seed.ts'
import type { Bench } from '../figures.ts'
import { channelOf, groupOf, LARGE } from '../fill.ts'
import { answerOf, caller, costOf, enter, newWorld, type World } from '../world.ts'

const GROUPS = 5
const MEMBERS = Math.min(5_000, LARGE)
/** Every group shares three quarters of its members with the next. */
const STEP = MEMBERS / 4
const PEOPLE = STEP * (GROUPS - 1) + MEMBERS
const MOST_WAVES = 4
const channel_id = 'crowded'

/** P4: a channel to which five overlapping groups of 5,000 give a role: the cost of a page, and each user exactly once. */
export async function crowdedChannel({ endpoint, say, atMost, exactly, info }: Bench): Promise<void> {
  const world = await newWorld(endpoint)
  await fill(world)
  const what = `channel of ${GROUPS} groups of ${MEMBERS}`
  const firstPage = await caller('listChannelAssignments', { path: { channel_id } })
  const { waves, reads } = await costOf(world, firstPage)
  atMost(`${what}: waves of the first page`, waves, MOST_WAVES)
  info(`${what}: read units of the first page`, [reads])
  enter(world)
  const seen = new Set<string>()
  let [listed, total] = [0, 0]
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { page_number: String(page), page_limit: '100' }
    const { assignments, pagination } = await answerOf('listChannelAssignments', { path: { channel_id }, query })
    for (const { id } of assignments) seen.add(`${id.user_id} ${id.role_id}`)
    listed += assignments.length
    total = pagination.total_elements
    pages = pagination.total_pages
    say(`${listed} of ${PEOPLE} read`)
  }
  exactly(`${what}: entries, distinct, total`, `${listed}, ${seen.size}, ${total}`, `${PEOPLE}, ${PEOPLE}, ${PEOPLE}`)
}

async function fill(world: World): Promise<void> {
  const people = Array.from({ length: PEOPLE }, (_, n) =>
    userRecord({ id: `u-${n}`, last_name: `Lind ${n}` }, world.now),
  )
  const groups = Array.from({ length: GROUPS }, (_, n) => `crowd-${n}`)
  const items = [
    ...people.map((one) => itemOf(userRecords, one)),
    ...groups.flatMap((group, n) => groupOf(group, people.slice(n * STEP, n * STEP + MEMBERS))),
    ...channelOf(channel_id, groups, world),
  ]
  await world.store.bulk(items.map((put) => ({ put })))
}
