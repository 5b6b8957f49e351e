import { faulty } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { openCursor } from '../request/paging.ts'
import { eventsAmong, eventsBy } from '../table/events.ts'
import type { Range } from '../table/store.ts'
import { partitionOf } from './event.ts'
import { type Asked, eventPage, isDescending } from './eventPage.ts'
import { daysOf, type Span, shortSpan, wholeSpan } from './eventRules.ts'

/** Lists events: of a record, by an actor, or all. */
export async function listEvents(context: Context, { query }: Input<'listEvents'>) {
  const list = ['listEvents']
  const { record_kind: kind, record_id: id, actor_id: actor, type: types } = query
  if ((kind === undefined) !== (id === undefined))
    throw faulty('VALIDATION_ERROR', kind ? 'record_id' : 'record_kind', 'must be given, too: they name one record')
  const record = kind !== undefined && id !== undefined ? { kind, id } : undefined
  const cursor = await openCursor<Asked>(context, list, query.page_cursor, {
    sort: query.sort ?? ['TIME_DESC'],
    filters: { ...(record ? wholeSpan(query) : shortSpan(query, context.now)), record, actor, types },
  })
  const listsOf = (span: Span): Range[][] => {
    const { filters } = cursor
    if (filters.record) return [[eventsAmong(partitionOf(filters.record))]]
    return filters.actor === undefined ? daysOf(span, isDescending(cursor)) : [[eventsBy(filters.actor)]]
  }
  return eventPage(context, list, cursor, { listsOf, limit: query.page_limit })
}
