// Values of fields in words. Pure.
import { type Texts, textOf } from '../texts/texts.ts'

/** The value of a field as text: what has a word has that. */
export function fieldText(field: string, value: unknown, texts: Texts): string {
  const words = wordsOfField(texts)[field]
  if (words && typeof value === 'string') return textOf(words, value)
  if (typeof value === 'boolean') return value ? texts.common.yes : texts.common.no
  if (field === 'profile_picture' && value) return texts.person.picture
  return valueText(value, texts.common.none)
}

const wordsOfField = (texts: Texts): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  status: { ...texts.groups.statuses, ...texts.status },
  role: texts.role,
  source: { ...texts.groups.sources, ...texts.channels.sources },
  progress_status: texts.tasks.progressOf,
})

/** A value of any field: lists by their names and values. */
function valueText(value: unknown, none: string): string {
  if (value === null || value === undefined || value === '') return none
  if (Array.isArray(value)) return value.length === 0 ? none : value.map((one) => valueText(one, none)).join(', ')
  if (typeof value !== 'object') return String(value)
  const parts = value as { name?: string; value?: string; text?: string }
  if (parts.name !== undefined) return parts.value === undefined ? parts.name : `${parts.name}: ${parts.value}`
  return parts.text ?? JSON.stringify(value)
}
