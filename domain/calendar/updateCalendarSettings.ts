import { type AppError, errorOf } from '../base/errors.ts'
import { userOf } from '../request/actor.ts'
import type { Context, Input } from '../request/context.ts'
import { changeIfMatch } from '../request/etags.ts'
import { changedOrSame } from '../request/patch.ts'
import { replaceRecord } from '../table/changes.ts'
import {
  calendar,
  calendarFaults,
  calendarFields,
  newCalendar,
  normalizedCalendar,
  patchedCalendar,
  readCalendar,
} from './calendar.ts'

/** Applies a merge patch. Two patches at the same time are both kept if they change different fields. */
export async function updateCalendarSettings(context: Context, { body }: Input<'updateCalendarSettings'>) {
  const { store, now, actorId } = context
  const stored = await calendar.read(store)
  const before = stored ?? newCalendar
  const patched = patchedCalendar(before, body)
  const fault = errorOf(calendarFaults(patched))
  if (fault && calendarFaults(body).length > 0) throw fault
  const stamps = { updated_at: now, updated_by: userOf(actorId) }
  const after = changeIfMatch(
    context,
    before,
    () => {
      // The patch only conflicts with stored settings. If these have changed, If-Match decides before this fault.
      if (fault) throw fault
      return changedOrSame(before, normalizedCalendar(patched), stamps)
    },
    calendarFields.own(before),
  )
  if (after !== before) await store.write([replaceRecord(calendar, stored, after)])
  return calendarFields.answer(after)
}

/** Finds more faults in a patch that the schema has refused. */
export const wrongCalendar = async ({ store }: Context, body: unknown): Promise<AppError | undefined> =>
  errorOf(calendarFaults(patchedCalendar(await readCalendar(store), body)))
