import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { weekDays } from './weekDays.ts'

const weekStarts = ['MONDAY', 'SATURDAY', 'SUNDAY'] as const
const creators = ['ADMINS', 'EVERYONE'] as const

const timeOfDay = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' } as const
const timeZone = atom.line(1, 64)
const workingDays = {
  type: 'array',
  maxItems: 7,
  uniqueItems: true,
  items: { type: 'string', enum: weekDays },
} as const
const eventMinutes = { type: 'integer', minimum: 5, maximum: 1440 } as const
const reminderMinutes = {
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 40320,
} as const

const settings = {
  time_zone: timeZone,
  week_start: { type: 'string', enum: weekStarts },
  working_days: workingDays,
  working_hours: object({ start: timeOfDay, end: timeOfDay }, ['start', 'end']),
  default_event_duration_minutes: eventMinutes,
  default_reminder_minutes: reminderMinutes,
  event_creation: { type: 'string', enum: creators },
  show_participant_list: { type: 'boolean' },
  updated_at: { ...atom.moment, type: ['string', 'null'] },
} as const

const required = [
  'time_zone',
  'week_start',
  'working_days',
  'working_hours',
  'default_event_duration_minutes',
  'default_reminder_minutes',
  'event_creation',
  'show_participant_list',
  'updated_at',
] as const

/** The calendar settings for every user. */
export const calendarSettings = object(settings, required)

/** The same for administrators, with the user who changed them last. */
export const calendarAdministration = object({ ...settings, updated_by: { type: ['string', 'null'] } }, [
  ...required,
  'updated_by',
])

/** A merge patch of the calendar settings: absent fields stay, null restores the default. */
export const calendarPatch = object(
  {
    time_zone: nullable(timeZone),
    week_start: { type: ['string', 'null'], enum: [...weekStarts, null] },
    working_days: nullable(workingDays),
    working_hours: nullable(object({ start: nullable(timeOfDay), end: nullable(timeOfDay) }, [])),
    default_event_duration_minutes: nullable(eventMinutes),
    default_reminder_minutes: reminderMinutes,
    event_creation: { type: ['string', 'null'], enum: [...creators, null] },
    show_participant_list: { type: ['boolean', 'null'] },
    updated_at: atom.readOnly,
    updated_by: atom.readOnly,
  },
  [],
)

const tag = 'Calendar settings'

export const getCalendarSettings = contract({
  name: 'getCalendarSettings',
  title: 'Read the calendar settings and who last changed them',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  versioned: true,
  answers: { 200: calendarAdministration },
  errors: [],
})

export const updateCalendarSettings = contract({
  name: 'updateCalendarSettings',
  title: 'Change the calendar settings',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  body: calendarPatch,
  mergePatch: true,
  versioned: true,
  conditional: true,
  answers: { 200: calendarAdministration },
  errors: [],
})

export const viewCalendarSettings = contract({
  name: 'viewCalendarSettings',
  title: 'Read the calendar settings',
  tag,
  access: 'user',
  scopes: ['SETTINGS'],
  versioned: true,
  answers: { 200: calendarSettings },
  errors: [],
})
