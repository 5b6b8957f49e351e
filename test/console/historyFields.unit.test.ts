import { expect, it } from 'vitest'
import { fieldText } from '../../console/data/fieldText.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'
import { calendarFields } from '../../domain/calendar/calendar.ts'
import { definitionFields } from '../../domain/people/records/attributeDefinition.ts'
import { groupFields } from '../../domain/people/records/group.ts'
import { organisationFields } from '../../domain/people/records/organisation.ts'
import { roleFields } from '../../domain/people/records/role.ts'
import { userFields } from '../../domain/people/records/userFields.ts'
import { ruleFields } from '../../domain/people/rules/rule.ts'
import { tokenFields } from '../../domain/people/tokens/serviceToken.ts'
import { planFields } from '../../domain/plans/plan.ts'
import { taskFields } from '../../domain/tasks/task.ts'
import { webhookFields } from '../../domain/webhooks/webhook.ts'

const records = [
  calendarFields,
  definitionFields,
  groupFields,
  organisationFields,
  planFields,
  roleFields,
  ruleFields,
  taskFields,
  tokenFields,
  userFields,
  webhookFields,
]
/** What the service itself sets, and events show. */
const setByService = ['previous_expires_at', 'rotated_at', 'warned_days', 'type', 'state', 'enabled', 'deletion_at']

it('the history has a name for each field that can change', () => {
  const fields = records.flatMap(({ valueForNull, notInEvents }) =>
    Object.keys(valueForNull).filter((field) => !notInEvents.includes(field)),
  )
  expect(fields).toContain('time_zone')
  for (const texts of [en, de])
    expect([...fields, ...setByService].filter((field) => !Object.hasOwn(texts.fields, field))).toEqual([])
})

it('the history says values of settings in words', () => {
  expect(fieldText('working_days', ['MONDAY', 'SUNDAY'], de)).toBe('Montag, Sonntag')
  expect(fieldText('week_start', 'SATURDAY', en)).toBe('Saturday')
  expect(fieldText('event_creation', 'ADMINS', en)).toBe('Administrators')
  expect(fieldText('working_hours', { start: '08:00', end: '17:00' }, en)).toBe('08:00–17:00')
  expect(fieldText('features', { tasks: true, people_directory: false }, en)).toBe(
    'Tasks: Yes, People find each other: No',
  )
  expect(fieldText('languages', ['de-DE'], en)).toBe('German (Germany)')
  expect(fieldText('default_language', 'fr-FR', en)).toBe('French (France)')
  expect(fieldText('scopes', ['SCIM'], en)).toBe(en.connections.scopes.SCIM)
})
