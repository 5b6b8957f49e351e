import { compareBytes } from '../base/text.ts'
import { type AskedCursor, type Cursor, fitting } from '../request/askedPage.ts'
import type { Context } from '../request/context.ts'
import { endOf } from '../table/items.ts'
import { eventSortKey, justBefore } from '../table/keys.ts'
import { merge } from '../table/merge.ts'
import type { Item, Range } from '../table/store.ts'
import { type EventFilter, type EventView, loadEvents } from './event.ts'
import type { Span } from './eventRules.ts'

/** What a call asks for: a stretch of time, and filters. A cursor contains them. */
export type EventQuery = Span & EventFilter

/** The lists with the events of a stretch of time. Those of one array are merged; later arrays come after them. */
type ListsOf = (span: Span) => Range[][]

/** The most events that a call looks at if a filter leaves few of them. Then a page may be short. */
const MOST_LOOKED_AT = 500
/** The fewest events in one read if a filter has left some out: small reads would take hundreds of waves. */
const FEWEST = 100

/** A page of events in the order of time. */
export async function eventPage(context: Context, asked: AskedCursor<EventQuery>, listsOf: ListsOf) {
  const { cursor, limit, pagination } = asked
  const found = await readFiltered(context, asked, listsOf)
  const bytes = found.events.map((event) => Buffer.byteLength(JSON.stringify(event)))
  const shown = found.events.slice(0, Math.min(limit, fitting(bytes)))
  const end = shown.length < found.events.length ? sortKeyOf(shown.at(-1)) : found.at
  const next = end === undefined ? undefined : { ...cursor, at: { values: [], id: end } }
  return { status: 200, body: { events: shown, pagination: await pagination(next) } }
}

/** Reads more events than the page needs. If it ends before that, `at` is the sort key to continue from; undefined at the end. */
async function readFiltered(context: Context, { cursor, limit }: AskedCursor<EventQuery>, listsOf: ListsOf) {
  const [events, descending]: [EventView[], boolean] = [[], isDescending(cursor)]
  const span = restOfSpan(cursor.filters, cursor.at?.id, descending)
  const compare = (a: Item, b: Item): number => compareBytes(a.sk, b.sk) * (descending ? -1 : 1)
  let looked = 0
  for (const ranges of span.from <= span.to ? listsOf(span) : []) {
    const lists = ranges.map((range) => [{ ...range, ...span, descending }])
    for await (const rows of merge(context.store, {
      lists,
      compare,
      likely: limit + 1 - events.length,
      more: FEWEST,
    })) {
      events.push(...(await loadEvents(context, rows, cursor.filters)))
      looked += rows.length
      if (events.length > limit || looked >= MOST_LOOKED_AT) return { events, at: rows.at(-1)?.sk }
    }
  }
  return { events, at: undefined }
}

/** Whether the latest events come first. */
export const isDescending = ({ sort }: Cursor<EventQuery>): boolean => sort[0] === 'TIME_DESC'

const sortKeyOf = (event: EventView | undefined): string | undefined => event && eventSortKey(event.time, event.id)

/** The rest of a stretch of time after a sort key. Both ends of a range belong to it; a time sorts before its events. */
function restOfSpan({ from, to }: Span, sortKey: string | undefined, descending: boolean): Span {
  if (sortKey === undefined) return { from, to }
  return descending ? { from, to: justBefore(sortKey) } : { from: endOf(sortKey), to }
}
