// Values of fields in words. Pure.
import { languageName } from '../texts/languageName.ts'
import { type Texts, textOf } from '../texts/texts.ts'

/** The value of a field as text: what has a word has that. */
export function fieldText(field: string, value: unknown, texts: Texts): string {
  const words = wordsOfField(texts)[field] ?? {}
  const inWords = (one: string) => (ofLanguages.has(field) ? languageName(one, texts) : textOf(words, one))
  if (typeof value === 'boolean') return yesOrNo(value, texts)
  const text = value ? partsText[field]?.(value, texts) : undefined
  return text ?? valueText(value, texts.common.none, inWords)
}

const ofLanguages: ReadonlySet<string> = new Set(['languages', 'default_language', 'preferred_language'])
const yesOrNo = (is: boolean, { common }: Texts) => (is ? common.yes : common.no)

/** The texts of values that have several parts. */
const partsText: Readonly<Record<string, (value: object, texts: Texts) => string>> = {
  profile_picture: (_, { person }) => person.picture,
  working_hours: (value) => Object.values(value).join('–'),
  features: (value, texts) =>
    Object.entries(value)
      .map(([name, isOn]) => `${textOf(texts.settings.features, name)}: ${yesOrNo(isOn, texts)}`)
      .join(', '),
}

const wordsOfField = (texts: Texts): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  status: { ...texts.groups.statuses, ...texts.status },
  role: texts.role,
  source: { ...texts.groups.sources, ...texts.channels.sources },
  progress_status: texts.tasks.progressOf,
  week_start: texts.settings.calendar.days,
  working_days: texts.settings.calendar.days,
  event_creation: texts.settings.calendar.creators,
  scopes: texts.connections.scopes,
  attribute_type: texts.settings.types,
  user_permission: texts.settings.permissions,
})

/** A value of any field: lists by their names and values. */
function valueText(value: unknown, none: string, inWords: (text: string) => string): string {
  if (value === null || value === undefined || value === '') return none
  if (Array.isArray(value))
    return value.length === 0 ? none : value.map((one) => valueText(one, none, inWords)).join(', ')
  if (typeof value !== 'object') return inWords(String(value))
  const parts = value as { name?: string; value?: string; text?: string }
  if (parts.name !== undefined) return parts.value === undefined ? parts.name : `${parts.name}: ${parts.value}`
  return parts.text ?? JSON.stringify(value)
}
