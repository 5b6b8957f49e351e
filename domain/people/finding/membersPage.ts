import { termWords } from '../../base/words.ts'
import { afterPreviousPage, isDeep, type ListSize, pageOf, type Window } from '../../request/askedPage.ts'
import type { Context } from '../../request/context.ts'
import { limitedPage, refuseTooFar } from '../../request/pageBudget.ts'
import { readPage } from '../../request/readPage.ts'
import { type ByteBudget, limitedStore } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import { costOfAmong } from '../../table/peopleLists.ts'
import { type Match, matchingIn } from '../records/userMatch.ts'
import { loadUsers } from '../records/userReference.ts'
import { hintOf, profileOf, profileOfHint } from '../records/userSearch.ts'
import { candidates, searchBudget } from './candidates.ts'
import { firstMatches } from './firstInOrder.ts'
import {
  inOrder,
  leadingIndex,
  type Member,
  type MemberListing,
  type Names,
  NO_NAMES,
  namesOf,
  sortMembers,
} from './members.ts'

type MemberPage<M> = { members: M[] } & ListSize

/** One page of members, in order; `people` are the users who match a search, if there is one. */
export async function membersPage<M extends Member>(
  context: Context,
  listing: MemberListing<M>,
  people: People | undefined,
  window: Window,
): Promise<MemberPage<M>> {
  if (people) return foundMembers(context, listing, people, window)
  // Counting begins first, as it may read lists whole: then the page takes its rows from them.
  const counted = window.after ? undefined : listing.count()
  const size = isDeep(window) ? await counted : undefined
  // While a rename is under way, lists that overlap can have a member at two places: pages by number show each once.
  const from = listing.overlaps ? window : afterPreviousPage(window, size)
  const store = limitedPage(context.store, from, size === undefined ? undefined : [size])
  const sorted = inOrder({ ...context, store }, listing, size)
  const [found, total] = await Promise.all([
    readPage(sorted, { ...from, take: from.take + 1 }).catch(refuseTooFar),
    counted,
  ])
  const members = found.slice(0, window.take)
  const last = found.length > members.length ? members.at(-1) : undefined
  return { members, total, next: last && sorted.positionOf(last) }
}

/** Users who match a search among members. */
export type People = {
  names: Map<string, Names>
  /** Whether these are all who match, whatever lists they are in. */
  foundAll: boolean
  matchesWords: Match
  byteBudget: ByteBudget
}

/** What members of groups and channels are searched by. */
const memberFields = ['first_name', 'last_name', 'department'] as const

/** Users who match a search term by first name, last name or department; undefined without a term. */
export async function peopleLike({ store }: Context, term: string | undefined): Promise<People | undefined> {
  const words = termWords(term ?? '')
  if (words.length === 0) return undefined
  const [matchesWords, byteBudget] = [matchingIn(memberFields, words), { bytes: searchBudget.bytes }]
  const { hints, foundAll } = await candidates(store, { words, mayMatch: matchesWords }, searchBudget, byteBudget)
  const names = new Map([...hints].map(([id, hint]) => [id, namesOf(profileOfHint(hint))]))
  return { names, foundAll, matchesWords, byteBudget }
}

/** Members among the users of a search: all, or the first ones in order if there are too many to find all. */
async function foundMembers<M extends Member>(
  context: Context,
  listing: MemberListing<M>,
  people: People,
  window: Window,
): Promise<MemberPage<M>> {
  const { lists, sorts, overdue, reader } = listing
  const ids = new Set([...people.names.keys()].filter((id) => !overdue.has(id)))
  if (!people.foundAll || costOfAmong(lists, ids.size) > 2 * searchBudget.rows)
    return firstMembers(context, listing, people, window)
  const rows = await Promise.all(lists.map((one) => reader.among(one, ids)))
  const members = listing.membersOf(rows.flatMap((held) => [...held.values()]))
  const all = sortMembers(members, sorts, (id) => people.names.get(id) ?? NO_NAMES)
  const { page, next } = pageOf(all, sorts, window)
  return { members: page, total: members.length, next }
}

/** The first matches in order, if not all can be found. Rows of members do not show whether a user matches; records do. */
async function firstMembers<M extends Member>(
  context: Context,
  { lists, sorts, overdue, reader, membersOf }: MemberListing<M>,
  { names, foundAll, matchesWords, byteBudget }: People,
  window: Window,
): Promise<MemberPage<M>> {
  const { rows, readable } = searchBudget
  const walk = await firstMatches(limitedStore({ query: reader.query }, { rows, byteBudget }), {
    segments: [lists.map(({ list }) => list)],
    order: { index: leadingIndex(sorts), descending: sorts[0]?.descending ?? false },
    keep: (row) => !overdue.has(keys.userOfRow(row)) && (!foundAll || names.has(keys.userOfRow(row))),
    wholeTiesOnly: sorts.length > 1,
    needsRecords: !foundAll,
    most: readable,
    countUpTo: 0,
  })
  const users = await loadUsers(context, foundAll ? [] : walk.rows.map(keys.userOfRow))
  const read = [...users]
    .map(([id, user]) => [id, profileOf(user)] as const)
    .filter(([, profile]) => matchesWords(hintOf(profile)))
  const matches = foundAll ? names : new Map(read.map(([id, profile]) => [id, namesOf(profile)]))
  const members = membersOf(walk.rows.filter((row) => matches.has(keys.userOfRow(row))))
  const all = sortMembers(members, sorts, (id) => matches.get(id) ?? NO_NAMES)
  const shown = walk.isOver ? all : all.slice(0, readable)
  const { page, next } = pageOf(shown, sorts, window)
  return { members: page, total: all.length, next, ...(walk.isOver ? {} : { readable: shown.length }) }
}
