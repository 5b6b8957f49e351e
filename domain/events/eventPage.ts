import { compareBytes } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import { type Cursor, cursorPagination, DEFAULT_LIMIT, fitting } from '../request/paging.ts'
import { eventPlace, justBefore } from '../table/keys.ts'
import { scan } from '../table/reader.ts'
import type { Item, Range, Store } from '../table/store.ts'
import { type EventFilter, type EventView, loadEvents } from './event.ts'
import type { Span } from './eventRules.ts'

/** What a call asks for: a stretch of time, and filters. A cursor contains them. */
export type EventQuery = Span & EventFilter

type Listed = {
  /** The lists with the events of a stretch of time. Those of one array are merged; later arrays come after them. */
  listsOf: (span: Span) => Range[][]
  limit?: number | undefined
}

/** The most events that a call looks at if a filter leaves few of them. Then a page may be short. */
const MOST_LOOKED_AT = 500
/** The fewest events in one read once a filter has left some out: small reads would take hundreds of rounds. */
const FEWEST = 100

/** A page of events in the order of time. */
export async function eventPage(
  context: Context,
  list: readonly string[],
  cursor: Cursor<EventQuery>,
  { listsOf, limit = DEFAULT_LIMIT }: Listed,
) {
  const found = await readFiltered(context, cursor, { listsOf, limit })
  const bytes = found.events.map((event) => Buffer.byteLength(JSON.stringify(event)))
  const shown = found.events.slice(0, Math.min(limit, fitting(bytes)))
  const end = shown.length < found.events.length ? placeOf(shown.at(-1)) : found.at
  const next = end === undefined ? undefined : { ...cursor, at: { values: [], id: end } }
  return { status: 200, body: { events: shown, pagination: await cursorPagination(context, list, next) } }
}

/** Reads more events than the page needs. If it ends before that, `at` is the place to continue from; undefined at the end. */
async function readFiltered(
  context: Context,
  cursor: Cursor<EventQuery>,
  { listsOf, limit }: Listed & { limit: number },
) {
  const [events, descending]: [EventView[], boolean] = [[], isDescending(cursor)]
  let at = cursor.at?.id
  let span = behind(cursor.filters, at, descending)
  let left = span.from <= span.to ? listsOf(span) : []
  for (let looked = 0; left.length > 0 && events.length <= limit && looked < MOST_LOOKED_AT; ) {
    const missing = limit + 1 - events.length
    const wanted = events.length < looked ? Math.max(missing, FEWEST) : missing
    const rows = await firstOf(context.store, left[0] ?? [], { span, descending, wanted })
    events.push(...(await loadEvents(context, rows, cursor.filters)))
    looked += rows.length
    at = rows.at(-1)?.sk ?? at
    span = behind(cursor.filters, at, descending)
    if (rows.length < wanted) left = left.slice(1)
  }
  return { events, at: left.length > 0 ? at : undefined }
}

/** Whether the latest events come first. */
export const isDescending = ({ sort }: Cursor<EventQuery>): boolean => sort[0] === 'TIME_DESC'

const placeOf = (event: EventView | undefined): string | undefined => event && eventPlace(event.time, event.id)

/** The rest of a stretch of time after a place. Both ends of a range belong to it; a time sorts before its events. */
function behind({ from, to }: Span, place: string | undefined, descending: boolean): Span {
  if (place === undefined) return { from, to }
  return descending ? { from, to: justBefore(place) } : { from: `${place} `, to }
}

type Wanted = { span: Span; descending: boolean; wanted: number }

/** The first rows of several merged lists. */
async function firstOf(store: Pick<Store, 'query'>, lists: readonly Range[], asked: Wanted): Promise<Item[]> {
  const found = await Promise.all(lists.map((list) => firstOfOne(store, list, asked)))
  const sign = asked.descending ? -1 : 1
  return found
    .flat()
    .sort((a, b) => sign * compareBytes(a.sk, b.sk))
    .slice(0, asked.wanted)
}

async function firstOfOne(store: Pick<Store, 'query'>, list: Range, { span, descending, wanted }: Wanted) {
  const rows: Item[] = []
  for await (const { items } of scan(store, { ...list, ...span, descending, limit: wanted })) {
    rows.push(...items)
    if (rows.length >= wanted) break
  }
  return rows
}
