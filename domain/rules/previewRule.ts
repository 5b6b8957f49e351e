import { requireNone } from '../base/errors.ts'
import { compareBytes } from '../base/text.ts'
import { type GroupAssignmentSource, groupAssignments } from '../groups/groupAssignment.ts'
import type { Context, Input } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { type LimitedStore, limitedStore, readRange, undefinedIfSpent } from '../table/lists.ts'
import { FIRST_LIMIT, type Item, type Page, type Range } from '../table/store.ts'
import { loadUsers, type UserRecord, userReference } from '../users/user.ts'
import { countUsers } from '../users/userCounts.ts'
import { listsOf, nameOfList, type UserList } from '../users/userLists.ts'
import { type SearchBudget, searchBudget } from '../users/userMatches.ts'
import { factsOf, factsOfHint, type Matcher, matcherOf } from './matching.ts'
import { previewFaults } from './ruleInput.ts'
import { conditionsFrom } from './ruleRules.ts'

type Body = Input<'previewRule'>['body']

/** The users that an answer shows. */
const MOST_SHOWN = 25

/** The lists of all users that rules look at: those who are not pending deletion. */
const everyone = listsOf({ statuses: ['ACTIVE', 'LOCKED', 'DEACTIVATED'], roles: [] })

/** Shows whom a rule would match. It writes nothing. */
export async function previewRule(context: Context, { body }: Input<'previewRule'>) {
  const [faults, of] = await Promise.all([previewFaults(context, body), countUsers(context, everyone)])
  requireNone(faults)
  const matcher = matcherOf({
    match: body.match ?? 'ALL',
    conditions: conditionsFrom(body.conditions),
    except_user_ids: body.except_user_ids ?? [],
  })
  const held = placeOf(body)
  const { matched, lookedAt, gaining, losing } = await lookAtUsers(context, { matcher, held }, searchBudget)
  const shown = matched.toSorted((a, b) => compareBytes(a.place, b.place)).slice(0, MOST_SHOWN)
  const users = await loadUsers(
    context,
    shown.map(({ id }) => id),
  )
  return {
    status: 200,
    body: {
      total: matched.length,
      looked_at: lookedAt,
      of,
      users: shown.map(({ id }) => userReference(id, users.get(id))),
      ...(held ? { gaining, losing } : {}),
    },
  }
}

/** The list of the users who hold the role in the group; undefined if the body does not name both. */
const placeOf = ({ user_group_id, role_id }: Body): string | undefined =>
  user_group_id && role_id ? keys.groupList(user_group_id, role_id) : undefined

/** Users who match, with their places by name, and what was found on the way to them. */
export type Looked = { matched: { id: string; place: string }[]; lookedAt: number; gaining: number; losing: number }

type Reader = Pick<Context, 'store' | 'now'>

/**
 * Looks at as many users as the budget allows, by name within each list. Their rows carry some facts; a record is read where
 * these do not decide. `held` is the list of those who hold the role in the group: who matches and is not in it gains the
 * role, who does not match and holds it by a rule loses it.
 */
export async function lookAtUsers(
  context: Reader,
  { matcher, held }: { matcher: Matcher; held?: string | undefined },
  budget: Pick<SearchBudget, 'rows' | 'bytes'>,
): Promise<Looked> {
  const purse = { bytes: budget.bytes }
  const { sources, within } = await readHolders(limitedStore(context.store, Math.floor(budget.rows / 2), purse), held)
  const meter = limitedStore(context.store, budget.rows - sources.size, purse)
  const looked: Looked = { matched: [], lookedAt: 0, gaining: 0, losing: 0 }
  const note = (row: Item, isMatch: boolean): void => {
    const id = keys.userOfRow(row)
    looked.lookedAt++
    if (isMatch) looked.matched.push({ id, place: keys.placeIn(row, INDEX) })
    if (isMatch && !sources.has(id)) looked.gaining++
    if (!isMatch && sources.get(id) === 'RULE') looked.losing++
  }
  const lookAt = async (list: UserList): Promise<void> => {
    const range = { index: INDEX, hash: nameOfList(list), only: ['pk', 'hint', INDEX], ...within }
    await lookThrough(meter, range, async (rows) => {
      const open = rows.filter((row) => {
        const verdict = matcher(factsOfHint(keys.userOfRow(row), String(row.hint), list.role))
        if (verdict !== undefined) note(row, verdict)
        return verdict === undefined
      })
      const affordable = open.slice(0, affordableOf(meter, open.length))
      for (const [row, user] of await readAll(context, affordable)) note(row, matcher(factsOf(user)))
      return { isWhole: affordable.length === open.length, areHintsEnough: open.length === 0 }
    })
  }
  await Promise.all(everyone.map(lookAt))
  return looked
}

const INDEX = 'by_last_name'

type Holders = { sources: Map<string, GroupAssignmentSource>; within: { to?: string } }

/** The holders of the role; of too many the first ones by name, and then only users with these names are looked at. */
async function readHolders(meter: LimitedStore, list: string | undefined): Promise<Holders> {
  const sources: Holders['sources'] = new Map()
  if (list === undefined) return { sources, within: {} }
  let last: Item | undefined
  const see = (rows: readonly Item[]): void => {
    for (const row of rows) sources.set(keys.userOfRow(row), groupAssignments.sourceOf(row))
    last = rows.at(-1) ?? last
  }
  const isWhole = await readRange({ meter, range: { index: INDEX, hash: list, only: ['pk', 'source', INDEX] }, see })
  // More holders may have the last name that was read, so users with it are left out.
  const end = last ? keys.sortValueOf(keys.placeIn(last, INDEX)) : keys.PRESENT
  return { sources, within: isWhole ? {} : { to: end } }
}

/** Rows of a page, while records have to be read for them. */
const FEW = 250

type Seen = { isWhole: boolean; areHintsEnough: boolean }

/** Shows the rows of a list, page after page, until the budget does not suffice for them, or for their records. */
async function lookThrough(meter: LimitedStore, range: Range, see: (rows: Item[]) => Promise<Seen>): Promise<void> {
  let limit = FEW
  let after: Page['next']
  do {
    const page: Page | undefined = await meter
      .query({ ...range, limit, ...(after ? { after } : {}) })
      .catch(undefinedIfSpent)
    if (!page) return
    const { isWhole, areHintsEnough } = await see(page.items)
    if (!isWhole) return
    limit = areHintsEnough ? FIRST_LIMIT : FEW
    after = page.next
  } while (after)
}

/** How many of these records the budget still allows. They are taken out of it. */
function affordableOf(meter: LimitedStore, wanted: number): number {
  let taken = 0
  while (taken < wanted && meter.affords(1)) taken++
  return taken
}

/** The records of rows. An index is a moment late: it can show a user in a list that they have left. */
async function readAll(context: Reader, rows: readonly Item[]): Promise<[Item, UserRecord][]> {
  const users = await loadUsers(context, rows.map(keys.userOfRow))
  return rows.flatMap((row): [Item, UserRecord][] => {
    const user = users.get(keys.userOfRow(row))
    return user && user.status !== 'PENDING_DELETION' ? [[row, user]] : []
  })
}
