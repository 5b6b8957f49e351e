import { errorOf } from '../base/errors.ts'
import { isTokenId } from '../people/tokens/serviceToken.ts'
import { tokenActor } from '../request/actor.ts'
import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input, MoreFaults } from '../request/context.ts'
import { eventsAmong, eventsBy } from '../table/keys.ts'
import type { Range } from '../table/store.ts'
import { partitionOf } from './event.ts'
import { type EventQuery, eventPage, isDescending } from './eventPage.ts'
import { daysOf, type Span, shortSpan, spanFaults, wholeSpan } from './eventRules.ts'

/** Finds more faults in a query that the schema has refused. */
export const wrongEventsQuery: MoreFaults = async (_context, _body, _path, query) =>
  errorOf(spanFaults(query, query.record_kind === undefined && query.record_id === undefined))

/** The events of the user with this id, and of the service token: an id of a user can have the form of a token's. */
const eventsOfId = (id: string): Range[] => [id, ...(isTokenId(id) ? [tokenActor(id)] : [])].map(eventsBy)

/** Lists events: of a record, by an actor, or all. */
export async function listEvents(context: Context, { query }: Input<'listEvents'>) {
  const { record_kind: kind, record_id: id, actor_id: actor, type: types } = query
  const record = kind !== undefined && id !== undefined ? { kind, id } : undefined
  const asked = await askedCursor<EventQuery>(context, ['listEvents'], query, {
    sort: query.sort ?? ['TIME_DESC'],
    filters: { ...(record ? wholeSpan(query) : shortSpan(query, context.now)), record, actor, types },
  })
  const listsOf = (span: Span): Range[][] => {
    const { cursor } = asked
    const { filters } = cursor
    if (filters.record) return [[eventsAmong(partitionOf(filters.record))]]
    return filters.actor === undefined ? daysOf(span, isDescending(cursor)) : [eventsOfId(filters.actor)]
  }
  return eventPage(context, asked, listsOf)
}
