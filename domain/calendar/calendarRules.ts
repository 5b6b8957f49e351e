import type { FromSchema } from 'json-schema-to-ts'
import { type calendarAdministration, weekDays } from '../../schemas/calendar.ts'
import { type Found, faultAt } from '../base/errors.ts'
import { patchedSettings } from '../request/mergePatch.ts'
import { timeZoneNamed } from './timeZones.ts'

/** The calendar settings, with who has changed them. */
export type CalendarSettings = FromSchema<typeof calendarAdministration>

/** What holds before anybody has changed anything. */
export const newCalendar: CalendarSettings = {
  time_zone: 'UTC',
  week_start: 'MONDAY',
  working_days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
  working_hours: { start: '09:00', end: '17:00' },
  default_event_duration_minutes: 30,
  default_reminder_minutes: 15,
  event_creation: 'EVERYONE',
  show_participant_list: true,
  updated_at: null,
  updated_by: null,
}

/** The settings after a merge patch, faulty or not. No reminder is a choice of its own, so null is no way back to the default. */
export function patchedCalendar(before: CalendarSettings, patch: object): CalendarSettings {
  const { updated_at: _at, updated_by: _by, ...said }: Partial<CalendarSettings> = patch
  const after = patchedSettings(before, said, newCalendar)
  return said.default_reminder_minutes === null ? { ...after, default_reminder_minutes: null } : after
}

const isTime = (time: unknown): time is string => typeof time === 'string' && /^\d\d:\d\d$/.test(time)

/** What is wrong with settings as a whole, beyond the form of each. */
export function calendarFaults({ time_zone, working_hours }: CalendarSettings): Found[] {
  const found: Found[] = []
  const add = (property: string, message: string) => found.push(faultAt('VALIDATION_ERROR', property, message))
  if (typeof time_zone === 'string' && timeZoneNamed(time_zone) === undefined)
    add('time_zone', 'must be the IANA name of a time zone, such as Europe/Berlin')
  const { start, end } = working_hours
  if (isTime(start) && isTime(end) && start >= end) add('working_hours', `must start before they end: ${start}-${end}`)
  return found
}

/** Sound settings as they are kept: a zone by its name, days in the order of the week. */
export const settledCalendar = (settings: CalendarSettings): CalendarSettings => ({
  ...settings,
  time_zone: timeZoneNamed(settings.time_zone) ?? settings.time_zone,
  working_days: weekDays.filter((day) => settings.working_days.includes(day)),
})
