import * as contracts from '../calendar.ts'
import { describe, fieldsOf, prose } from './describe.ts'

const shared = {
  working_days: [
    'The days on which people work, from Monday to Sunday; there may be none.',
    ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
  ],
  working_hours: [
    'When the working day begins and ends.',
    {
      start: ['The beginning: `HH:MM`, 00:00 to 23:59.', '09:00'],
      end: ['The end: `HH:MM`, 00:00 to 23:59, after the beginning.', '17:00'],
    },
  ],
  time_zone: ['The IANA name of the time zone.', 'Europe/Berlin'],
  week_start: ['The first day of a week.', 'MONDAY'],
  default_event_duration_minutes: ['How long a new event lasts by default: minutes, 5 to 1440.', 30],
  default_reminder_minutes: [
    'How long before a new event its reminder comes by default: minutes, 0 to 40320 (28 days). Null is no reminder.',
    15,
  ],
  event_creation: ['Who may create events: administrators (`ADMINS`) or everybody (`EVERYONE`).', 'EVERYONE'],
  show_participant_list: ['Whether participants see who else takes part.', true],
  updated_at: [
    'When the settings last changed: RFC 3339, UTC, milliseconds. Null before the first change.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

const settingsFields = fieldsOf(contracts.calendarSettings)(shared)

const administrationFields = fieldsOf(contracts.calendarAdministration)({
  ...shared,
  updated_by: [
    'The id of the user who last changed the settings. Null before the first change, and if a service token made the last one.',
    'demo-admin',
  ],
})

const patchFields = fieldsOf(contracts.calendarPatch)({
  time_zone: [
    'The IANA name of a time zone, up to 64 characters, in any letter case; old names are valid. Offsets (`+01:00`) and abbreviations (`PST`) are refused. Null for the default, `UTC`.',
    'Europe/Berlin',
  ],
  week_start: ['The first day of a week. Null for the default, `MONDAY`.', 'MONDAY'],
  working_days: [
    'All days on which people work, each once, in any order; an empty list for none. Null for the default, Monday to Friday.',
    ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY'],
  ],
  working_hours: [
    'When the working day begins and ends. Either may be left out; the end must be after the beginning. Null for the default.',
    {
      start: ['The beginning: `HH:MM`, 00:00 to 23:59. Null for the default, `09:00`.', '08:30'],
      end: ['The end: `HH:MM`, 00:00 to 23:59. Null for the default, `17:00`.', '16:30'],
    },
  ],
  default_event_duration_minutes: [
    'How long a new event lasts by default: minutes, 5 to 1440. Null for the default, 30.',
    45,
  ],
  default_reminder_minutes: [
    'How long before a new event its reminder comes by default: minutes, 0 to 40320 (28 days). The default is 15. Null is no reminder, not the default.',
    10,
  ],
  event_creation: [
    'Who may create events: administrators (`ADMINS`) or everybody (`EVERYONE`). Null for the default, `EVERYONE`.',
    'ADMINS',
  ],
  show_participant_list: ['Whether participants see who else takes part. Null for the default, true.', false],
  updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
  updated_by: ['Ignored.', 'demo-admin'],
})

export const calendar = describe(contracts, {
  getCalendarSettings: {
    text: prose(`
      Reads the calendar settings and who last changed them. Before the first change they are the defaults: UTC, weeks
      from Monday, work from Monday to Friday, 09:00 to 17:00, events of 30 minutes with a reminder 15 minutes before,
      created by everybody, with a list of participants.`),
    answers: { 200: 'The calendar settings as they are now.' },
    answer: administrationFields,
  },

  updateCalendarSettings: {
    text: prose(`
      Changes the calendar settings by a merge patch (RFC 7396): fields that you leave out stay, null restores the default. \`working_hours\` are merged member by member, \`working_days\` are replaced as a whole. You can send the settings back as you read them: \`updated_at\` and \`updated_by\` are ignored.

      **What else changes:** nothing. The service stores the settings for applications that show a calendar.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\` and \`updated_by\`.
      Two changes of different fields at the same time are both applied.

      **Limits:** working hours must start before they end. This is checked after the merge: \`{ "end": "08:00" }\` is
      refused while they start at 09:00.`),
    body: patchFields,
    answers: { 200: 'The settings after the change; unchanged if there was nothing to change.' },
    answer: administrationFields,
    examples: [
      {
        title: 'Change some settings',
        status: 200,
        body: {
          time_zone: 'Europe/Berlin',
          working_days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY'],
          working_hours: { end: '18:30' },
        },
      },
      { title: 'No reminder', status: 200, body: { default_reminder_minutes: null } },
      {
        title: 'Back to the defaults',
        status: 200,
        body: { time_zone: null, working_days: null, working_hours: null, default_reminder_minutes: 15 },
      },
    ],
  },

  viewCalendarSettings: {
    text: prose(`
      Reads the calendar settings, for all active users; only administrators see who changed them
      (see *Read the calendar settings and who last changed them*). Before the first change they are the defaults.`),
    answers: { 200: 'The calendar settings as they are now.' },
    answer: settingsFields,
  },
})
