import type { FromSchema } from 'json-schema-to-ts'
import type { calendarAdministration } from '../../schemas/calendar.ts'
import { weekDays } from '../../schemas/contract.ts'
import { type CodedFault, faultAt } from '../base/errors.ts'
import { type Cleared, mergePatch } from '../request/input.ts'
import { calendarKey } from '../table/keys.ts'
import { defineRecord } from '../table/records.ts'
import type { Store } from '../table/store.ts'

/** The calendar settings, with the user who changed them last. */
type CalendarSettings = FromSchema<typeof calendarAdministration>

/** The settings until they are changed. */
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

/** The only record of calendar settings. It does not exist until they are changed. */
export const calendar = defineRecord<CalendarSettings, []>({
  key: () => calendarKey,
  idOf: () => [],
  events: { kind: 'calendar_settings', id: () => 'settings', initial: newCalendar, hidden: ['updated_by'] },
})

/** The settings as they are now. */
export const readCalendar = async (store: Store): Promise<CalendarSettings> =>
  (await calendar.read(store)) ?? newCalendar

/** Null in a patch restores the default; for reminders null means no reminder. */
const { updated_at: _at, updated_by: _by, ...defaults } = newCalendar
const cleared: Cleared<CalendarSettings> = { ...defaults, default_reminder_minutes: null }

/** The settings after a merge patch, faulty or not. */
export const patchedCalendar = (before: CalendarSettings, patch: unknown): CalendarSettings =>
  mergePatch(before, patch, cleared)

const isTime = (time: unknown): time is string => typeof time === 'string' && /^\d\d:\d\d$/.test(time)

type Checked = {
  time_zone?: string | null | undefined
  working_hours?: { start?: string | null | undefined; end?: string | null | undefined } | null | undefined
}

/** Faults of the settings as a whole, or of a patch by itself. The schema reports values of a wrong type. */
export function calendarFaults({ time_zone, working_hours }: Checked): CodedFault[] {
  const found: CodedFault[] = []
  const add = (property: string, message: string) => found.push(faultAt('VALIDATION_ERROR', property, message))
  if (typeof time_zone === 'string' && timeZoneNamed(time_zone) === undefined)
    add('time_zone', 'must be the IANA name of a time zone, such as Europe/Berlin')
  const { start, end } = working_hours ?? {}
  if (isTime(start) && isTime(end) && start >= end) add('working_hours', `must start before they end: ${start}-${end}`)
  return found
}

/** Valid settings as they are stored: the time zone in its usual spelling, days in the order of the week. */
export const normalizedCalendar = (settings: CalendarSettings): CalendarSettings => ({
  ...settings,
  time_zone: timeZoneNamed(settings.time_zone) ?? settings.time_zone,
  working_days: weekDays.filter((day) => settings.working_days.includes(day)),
})

/**
 * The areas that names of time zones begin with, and the names without an area. Intl also accepts offsets and old
 * abbreviations (`IST`, `PST`): those are not in the IANA database, and mean different zones in different countries.
 */
const areas =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\//i
const alone = new Set(
  [
    'UTC UCT Universal Zulu GMT GMT0 GMT+0 GMT-0 Greenwich EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT WET CET MET EET',
    'Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya Navajo NZ NZ-CHAT Poland',
    'Portugal PRC ROC ROK Singapore Turkey W-SU',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
)

/**
 * The name of a time zone in its usual case; undefined for an unknown zone. If a zone has several names, the one that was sent
 * stays: which of them is the main one changes over the years.
 */
export function timeZoneNamed(name: string): string | undefined {
  if (!areas.test(name) && !alone.has(name.toLowerCase())) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}
