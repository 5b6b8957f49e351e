import { isDeepStrictEqual } from 'node:util'
import type * as contracts from '../../schemas/calendar.ts'
import type { Input } from '../../schemas/contract.ts'
import { type AppError, errorOf } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { calendarKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { replacing, type Store } from '../table/store.ts'
import {
  type CalendarSettings,
  calendarFaults,
  newCalendar,
  patchedCalendar,
  settledCalendar,
} from './calendarRules.ts'

const readStored = async (store: Pick<Store, 'get'>): Promise<CalendarSettings | undefined> =>
  (await store.get(calendarKey))?.['data'] as CalendarSettings | undefined

/** Reads the calendar settings, and who has changed them. */
export const getCalendarSettings = async ({ store }: Context): Promise<Answer<CalendarSettings>> => ({
  status: 200,
  body: (await readStored(store)) ?? newCalendar,
})

/** Reads the calendar settings as everybody sees them. */
export async function viewCalendarSettings({ store }: Context): Promise<Answer<Omit<CalendarSettings, 'updated_by'>>> {
  const { updated_by: _by, ...body } = (await readStored(store)) ?? newCalendar
  return { status: 200, body }
}

/** Applies a merge patch; of two at once that change different fields both are kept. */
export function updateCalendarSettings(
  { store, now, actorId }: Context,
  { body }: Input<typeof contracts.updateCalendarSettings>,
): Promise<Answer<CalendarSettings>> {
  return retrying(async () => {
    const stored = await readStored(store)
    const before = stored ?? newCalendar
    const wanted = patchedCalendar(before, body)
    const fault = errorOf(calendarFaults(wanted))
    if (fault) throw fault
    const after = settledCalendar(wanted)
    if (isDeepStrictEqual(after, before)) return { status: 200, body: before }
    const data = { ...after, updated_at: now, updated_by: actorId }
    await store.write([replacing({ ...calendarKey, data }, stored)])
    return { status: 200, body: data }
  })
}

/** What else is wrong with a patch that has faults of its form. */
export async function wrongCalendar({ store }: Context, body: unknown): Promise<AppError | undefined> {
  const before = (await readStored(store)) ?? newCalendar
  return errorOf(calendarFaults(patchedCalendar(before, Object(body))))
}
