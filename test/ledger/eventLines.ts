import { call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

/** A day with two events of known size: the settings of the calendar are changed by the administrator, twice. */
const day = { from: '2027-02-01T00:00:00.000Z', to: '2027-02-02T00:00:00.000Z' }
async function changedTwice(service: Service): Promise<void> {
  service.setNow('2027-02-01T09:00:00.000Z')
  for (const week_start of ['SATURDAY', 'MONDAY']) await call('updateCalendarSettings', { body: { week_start } })
}

/** What the endpoints of events cost. They come last, as they move the clock. */
export const eventLines: readonly Line[] = [
  ...linesOf('listEvents', [
    { scenario: 'of a day', before: changedTwice, request: { query: day }, costs: [10, 2, 8, 0] },
    {
      scenario: 'of 31 days, nearly all of them silent',
      request: { query: { to: day.to } },
      waves: 5,
      costs: [250, 5, 127, 0],
    },
    {
      scenario: 'of a record',
      request: { query: { ...day, record_kind: 'calendar_settings', record_id: 'settings' } },
      costs: [2, 1, 2.5, 0],
    },
    { scenario: 'of an actor', request: { query: { ...day, actor_id: 'admin' } }, costs: [3, 2, 3.5, 0] },
  ]),
  ...linesOf('listUserEvents', [{ scenario: 'of a user', request: { path: { user_id: 'u-1' } }, costs: [3, 2, 4, 0] }]),
]
