import { errorOf } from '../base/errors.ts'
import { readUser, requireUser } from '../people/records/user.ts'
import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input, MoreFaults } from '../request/context.ts'
import { eventsAmong } from '../table/keys.ts'
import { type EventQuery, eventPage } from './eventPage.ts'
import { spanFaults, wholeSpan } from './eventRules.ts'

/** Finds more faults in a query that the schema has refused. */
export const wrongUserEventsQuery: MoreFaults = async (_context, _body, _path, query) =>
  errorOf(spanFaults(query, false))

/** Lists the events about a user: of the record, of roles in groups and on channels, of progress with tasks. */
export async function listUserEvents(context: Context, { path, query }: Input<'listUserEvents'>) {
  const asked = await askedCursor<EventQuery>(context, ['listUserEvents', path.user_id], query, {
    sort: query.sort ?? ['TIME_DESC'],
    filters: { ...wholeSpan(query), types: query.type },
  })
  const listsOf = () => [[eventsAmong({ kind: 'user', id: path.user_id })]]
  const [user, page] = await Promise.all([
    readUser(context.store, path.user_id, context.now),
    eventPage(context, asked, listsOf),
  ])
  requireUser(user)
  return page
}
