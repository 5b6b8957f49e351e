import { type AppError, errorOf } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { changedOrSame } from '../request/mergePatch.ts'
import { calendar, calendarFaults, newCalendar, normalizedCalendar, patchedCalendar, readCalendar } from './calendar.ts'

/** Applies a merge patch. Of two at once that change different fields both are kept. */
export async function updateCalendarSettings(
  { store, now, actorId }: Context,
  { body }: Input<'updateCalendarSettings'>,
) {
  const stored = await calendar.read(store)
  const before = stored ?? newCalendar
  const patched = patchedCalendar(before, body)
  const fault = errorOf(calendarFaults(patched))
  if (fault) throw fault
  const after = changedOrSame(before, normalizedCalendar(patched), { updated_at: now, updated_by: actorId })
  if (after !== before) await store.write([calendar.replace(stored, after)])
  return { status: 200, body: after }
}

/** More faults of a patch that the schema has refused. */
export const wrongCalendar = async ({ store }: Context, body: unknown): Promise<AppError | undefined> =>
  errorOf(calendarFaults(patchedCalendar(await readCalendar(store), body)))
