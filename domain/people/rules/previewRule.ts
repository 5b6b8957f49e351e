import { requireNone } from '../../base/errors.ts'
import { compareBytes } from '../../base/text.ts'
import type { Context, Input } from '../../request/context.ts'
import { BudgetSpent, type LimitedStore, limitedStore, readRange, undefinedIfSpent } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import { pagesOf } from '../../table/reader.ts'
import type { Item, Range } from '../../table/store.ts'
import { type SearchBudget, searchBudget } from '../finding/candidates.ts'
import { type GroupAssignmentSource, groupAssignments } from '../records/groupAssignment.ts'
import type { UserRecord } from '../records/user.ts'
import { listsOf, nameOfList, type UserList } from '../records/userLists.ts'
import { loadUsers, userReference } from '../records/userReference.ts'
import { countUsers } from '../records/userTotals.ts'
import { factsOf, factsOfHint, type Matcher, matcherOf } from './matching.ts'
import { previewFaults } from './ruleInput.ts'
import { conditionsFrom } from './ruleRules.ts'

type Body = Input<'previewRule'>['body']

/** The most users that an answer shows. */
const MOST_SHOWN = 25

/** The lists of all users who can match: all but those pending deletion. */
const everyone = listsOf({ statuses: ['ACTIVE', 'LOCKED', 'DEACTIVATED'], roles: [] })

/** Shows which users a rule would match. Writes nothing. */
export async function previewRule(context: Context, { body }: Input<'previewRule'>) {
  const [faults, of] = await Promise.all([previewFaults(context, body), countUsers(context, everyone)])
  requireNone(faults)
  const matcher = matcherOf({
    match: body.match ?? 'ALL',
    conditions: conditionsFrom(body.conditions),
    except_user_ids: body.except_user_ids ?? [],
  })
  const held = holdersList(body)
  const { matched, lookedAt, gaining, losing } = await lookAtUsers(context, { matcher, held }, searchBudget)
  const shown = matched.toSorted((a, b) => compareBytes(a.sortKey, b.sortKey)).slice(0, MOST_SHOWN)
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
const holdersList = ({ user_group_id, role_id }: Body): string | undefined =>
  user_group_id && role_id ? keys.groupList(user_group_id, role_id) : undefined

/** The users who match, with their sort keys by last name, and counts: users looked at, and who would gain or lose the role. */
type Preview = { matched: { id: string; sortKey: string }[]; lookedAt: number; gaining: number; losing: number }

type Reader = Pick<Context, 'store' | 'now'>

/**
 * Matches as many users as the budget allows, in the order of last names within each list. Their rows have some facts; a record
 * is read only if these do not decide. `held` is the list of users who hold the role in the group: a user who matches and is
 * not in it gains the role; a user who does not match and holds it by a rule loses it.
 */
export async function lookAtUsers(
  context: Reader,
  { matcher, held }: { matcher: Matcher; held?: string | undefined },
  budget: Pick<SearchBudget, 'rows' | 'bytes'>,
): Promise<Preview> {
  const byteBudget = { bytes: budget.bytes }
  const limited = (rows: number) => limitedStore({ query: context.store.query }, { rows, byteBudget })
  const { sources, within } = await readHolders(limited(Math.floor(budget.rows / 2)), held)
  const store = limited(budget.rows - sources.size)
  const preview: Preview = { matched: [], lookedAt: 0, gaining: 0, losing: 0 }
  const note = (row: Item, isMatch: boolean): void => {
    const id = keys.userOfRow(row)
    preview.lookedAt++
    if (isMatch) preview.matched.push({ id, sortKey: keys.sortKeyIn(row, INDEX) })
    if (isMatch && !sources.has(id)) preview.gaining++
    if (!isMatch && sources.get(id) === 'RULE') preview.losing++
  }
  const lookAt = async (list: UserList): Promise<void> => {
    const range = { index: INDEX, hash: nameOfList(list), only: ['pk', 'hint', INDEX], ...within }
    const looking = lookThrough(store, range, async (rows) => {
      const undecided = rows.filter((row) => {
        const isMatch = matcher(factsOfHint(keys.userOfRow(row), String(row.hint), list.role))
        if (isMatch !== undefined) note(row, isMatch)
        return isMatch === undefined
      })
      const affordable = undecided.slice(0, affordableOf(store, undecided.length))
      for (const [row, user] of await readRecords(context, affordable)) note(row, matcher(factsOf(user)))
      if (affordable.length < undecided.length) throw new BudgetSpent()
      return undecided.length === 0
    })
    await looking.catch(undefinedIfSpent)
  }
  await Promise.all(everyone.map(lookAt))
  return preview
}

const INDEX = 'by_last_name'

/** The sources by which users hold the role, and the part of the lists of users that they cover. */
type Holders = { sources: Map<string, GroupAssignmentSource>; within: { to?: string } }

/** Reads who holds the role. If the budget ends before the last one, only users up to the name read last are looked at. */
async function readHolders(store: LimitedStore, list: string | undefined): Promise<Holders> {
  const sources: Holders['sources'] = new Map()
  if (list === undefined) return { sources, within: {} }
  let last: Item | undefined
  const onRows = (rows: readonly Item[]): void => {
    for (const row of rows) sources.set(keys.userOfRow(row), groupAssignments.sourceOf(row))
    last = rows.at(-1) ?? last
  }
  const isWhole = await readRange({
    store,
    range: { index: INDEX, hash: list, only: ['pk', 'source', INDEX] },
    onRows,
  })
  // More holders may have the name read last, so users with this name are left out.
  const end = last ? keys.sortValueOf(keys.sortKeyIn(last, INDEX)) : keys.PRESENT
  return { sources, within: isWhole ? {} : { to: end } }
}

/** Rows of a page, while records have to be read for them. */
const FEW = 250

/** Passes the rows of a list to `onRows`, page after page. It says whether none of them needed its record. */
async function lookThrough(store: LimitedStore, range: Range, onRows: (rows: Item[]) => Promise<boolean>) {
  let areHintsEnough = false
  const wanted = (): number => (areHintsEnough ? Number.POSITIVE_INFINITY : FEW)
  for await (const { items } of pagesOf(store, range, wanted)) areHintsEnough = await onRows(items)
}

/** How many of the `wanted` records the budget still allows. Their cost is taken out of it. */
function affordableOf(store: LimitedStore, wanted: number): number {
  let taken = 0
  while (taken < wanted && store.reserveRecords(1)) taken++
  return taken
}

/** The records of rows, without users who are pending deletion by now: an index is a moment late. */
async function readRecords(context: Reader, rows: readonly Item[]): Promise<[Item, UserRecord][]> {
  const users = await loadUsers(context, rows.map(keys.userOfRow))
  return rows.flatMap((row): [Item, UserRecord][] => {
    const user = users.get(keys.userOfRow(row))
    return user && user.status !== 'PENDING_DELETION' ? [[row, user]] : []
  })
}
