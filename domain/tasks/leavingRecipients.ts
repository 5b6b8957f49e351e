import { createHash } from 'node:crypto'
import { momentAfter } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { listReader } from '../table/peopleLists.ts'
import { pagesOf } from '../table/reader.ts'
import type { Item, Page, Range } from '../table/store.ts'
import type { TaskState } from './task.ts'

/** The nearest deadlines of users who are about to be deleted, and the users among them who are past theirs. */
type Leaving = { deadlines: Map<string, string>; gone: Set<string> }

/** Deadlines of one read. If there are more, which is rare, it reads only those that may pass while a client reads all pages. */
const DEADLINES = 2000
const WALK_MS = 600_000

async function leavingUsers({ store, now }: Context): Promise<Leaving> {
  const enough = momentAfter(now, WALK_MS)
  const deadlines = new Map<string, string>()
  for await (const { items } of pagesOf(store, { ...keys.allDeadlineItems, limit: DEADLINES })) {
    for (const item of items) deadlines.set(keys.userOfDeadlineItem(item), keys.momentOfDeadlineItem(item))
    const last = items.at(-1)
    if (last && keys.momentOfDeadlineItem(last) > enough) break
  }
  return { deadlines, gone: new Set([...deadlines].filter(([, at]) => at <= now).map(([id]) => id)) }
}

/** The lists of all recipients of a task. */
export const recipientLists = (task: string): string[] => [keys.recipientList(task), keys.goneRecipientList(task)]

/**
 * Reads the lists of a task's recipients. Users past their deadline come last, where the purge will put
 * them later: so the order is the same before and after it.
 */
export function recipientReader(context: Context, state: () => Promise<TaskState>) {
  const { store } = context
  const leaving = leavingUsers(context)
  const goneRows = async (task: string): Promise<Item[]> => {
    const { gone } = await leaving
    if (gone.size === 0) return []
    const keyOf = (user: string) => keys.taskAssignmentKey(user, task)
    const recipients = { list: keys.recipientList(task), size: (await state()).counts.count, keyOf }
    const rows = await listReader(store, 'find').among(recipients, gone)
    return [...rows].map(([user, row]) => ({ ...row, found: keys.sortKey(undefined, user) }))
  }
  return {
    leaving,
    async query(range: Range): Promise<Page> {
      const task = keys.taskOfRecipientList(range.hash)
      if (range.hash !== keys.goneRecipientList(task)) {
        const [page, { gone }] = await Promise.all([store.query(range), leaving])
        return { ...page, items: page.items.filter((row) => !gone.has(keys.userOfRow(row))) }
      }
      const rows = (await goneRows(task)).filter(({ found }) => isWithin(String(found), range))
      const items = rows.sort((a, b) => (String(a.found) < String(b.found) === (range.descending ?? false) ? 1 : -1))
      return { items, count: items.length }
    },
  }
}

/** Whether a sort key is within a range, as in an index. */
const isWithin = (sortKey: string, { beginsWith = '', from = '', to }: Range): boolean =>
  sortKey.startsWith(beginsWith) && sortKey >= from && (to === undefined || sortKey <= to)

/** Users in a cursor at most: it must be short enough for a web address. */
const MOST_REMEMBERED = 400
/** Each by a short hash. */
const HASH_LENGTH = 6
const hashOf = (user: string): string => createHash('sha256').update(user).digest('base64url').slice(0, HASH_LENGTH)

/**
 * Remembers which of the users shown are about to be deleted. While pages are still being read they may move to the end of
 * the list, and must not be shown there again. If there are too many, the nearest deadlines are remembered.
 */
export function shownBefore(hashes: string | undefined) {
  const shown = new Set(hashes?.match(/.{6}/g))
  return {
    /** Whether a row at the end of the list is of a user who was shown before. */
    has: (row: Item): boolean =>
      shown.size > 0 && String(row.found).startsWith(keys.MISSING) && shown.has(hashOf(keys.userOfRow(row))),
    /** The hashes after these users have been shown, too. */
    with(users: readonly string[], { deadlines, gone }: Leaving): string | undefined {
      const pending = users.filter((user) => deadlines.has(user) && !gone.has(user))
      const all = new Set([...shown, ...pending.map(hashOf)])
      if (all.size <= MOST_REMEMBERED) return [...all].join('') || undefined
      const due = new Map([...deadlines].map(([user, at]) => [hashOf(user), at]))
      const first = [...all].sort((a, b) => ((due.get(a) ?? '') < (due.get(b) ?? '') ? -1 : 1))
      return first.slice(0, MOST_REMEMBERED).join('')
    },
  }
}
