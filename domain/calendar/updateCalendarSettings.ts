import type * as contracts from '../../schemas/calendar.ts'
import { type AppError, errorOf } from '../base/errors.ts'
import { retrying } from '../base/flow.ts'
import type { Context, Operation } from '../request/context.ts'
import { changedOrSame } from '../request/mergePatch.ts'
import {
  type CalendarSettings,
  calendar,
  calendarFaults,
  newCalendar,
  normalizedCalendar,
  patchedCalendar,
} from './calendar.ts'

/** Applies a merge patch. Of two at once that change different fields both are kept. */
export const updateCalendarSettings: Operation<typeof contracts.updateCalendarSettings, CalendarSettings> = (
  { store, now, actorId },
  { body },
) => {
  return retrying(async () => {
    const stored = await calendar.read(store)
    const before = stored ?? newCalendar
    const patched = patchedCalendar(before, body)
    const fault = errorOf(calendarFaults(patched))
    if (fault) throw fault
    const after = changedOrSame(before, normalizedCalendar(patched), { updated_at: now, updated_by: actorId })
    if (after !== before) await store.write([calendar.replace(stored, after)])
    return { status: 200, body: after }
  })
}

/** What else is wrong with a patch that has faults of its form. */
export async function wrongCalendar({ store }: Context, body: unknown): Promise<AppError | undefined> {
  const before = (await calendar.read(store)) ?? newCalendar
  return errorOf(calendarFaults(patchedCalendar(before, body)))
}
