import type { FromSchema } from 'json-schema-to-ts'
import type { calendarAdministration } from '../../schemas/calendar.ts'
import { weekDays } from '../../schemas/weekDays.ts'
import { type CodedFault, faultAt } from '../base/errors.ts'
import { mergePatch } from '../request/patch.ts'
import { a, declareFields } from '../table/fields.ts'
import { calendarKey } from '../table/keys.ts'
import { defineRecord } from '../table/records.ts'
import type { Store } from '../table/store.ts'

/** The calendar settings, with the user who changed them last. */
type CalendarSettings = FromSchema<typeof calendarAdministration>

export const calendarFields = declareFields({
  time_zone: { type: a<string>(), set: 'ALWAYS', default: 'UTC' },
  week_start: { type: a<CalendarSettings['week_start']>(), set: 'ALWAYS', default: 'MONDAY' },
  working_days: {
    type: a<CalendarSettings['working_days']>(),
    set: 'ALWAYS',
    default: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
  },
  working_hours: {
    type: a<CalendarSettings['working_hours']>(),
    set: 'ALWAYS',
    default: { start: '09:00', end: '17:00' },
  },
  default_event_duration_minutes: { type: a<number>(), set: 'ALWAYS', default: 30 },
  // Null means no reminder.
  default_reminder_minutes: { type: a<number | null>(), set: 'ALWAYS', initial: 15, forNull: null },
  event_creation: { type: a<CalendarSettings['event_creation']>(), set: 'ALWAYS', default: 'EVERYONE' },
  show_participant_list: { type: a<boolean>(), set: 'ALWAYS', default: true },
  updated_at: { type: a<string | null>(), initial: null },
  updated_by: { type: a<string | null>(), initial: null, hidden: ['EVENTS'] },
})

/** The settings until they are changed. */
export const newCalendar: CalendarSettings = calendarFields.create({}, {})

/** The only record of calendar settings. It does not exist until they are changed. */
export const calendar = defineRecord<CalendarSettings, []>({
  key: () => calendarKey,
  fields: calendarFields,
  idOf: () => [],
  events: { kind: 'calendar_settings', id: () => 'settings', initial: newCalendar },
})

/** The settings as they are now. */
export const readCalendar = async (store: Store): Promise<CalendarSettings> =>
  (await calendar.read(store)) ?? newCalendar

/** The settings after a merge patch, faulty or not. */
export const patchedCalendar = (before: CalendarSettings, patch: unknown): CalendarSettings =>
  mergePatch(before, patch, calendarFields.valueForNull)

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
