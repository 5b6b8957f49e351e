// Values that people have, to choose from: the service has no list of them, so they come from people who are read.
import type { Texts } from '../texts/texts.ts'
import { api, type Schemas } from './api.ts'
import type { Option } from './choices.ts'

type Person = Pick<Schemas['User'], 'email' | 'tags' | 'attributes'>

/** So many people are looked at. */
const people = 100
const most = 12
const attributeField = 'ATTRIBUTE:'
/** The attributes that the search of people looks at. */
const searched = ['ATTRIBUTE:department', 'ATTRIBUTE:location']

/** Read once, for as long as the page is open: it only helps to type. */
let some: Promise<readonly Person[]> | undefined

function somePeople(): Promise<readonly Person[]> {
  some ??= readPeople({}).catch(() => {
    some = undefined
    return []
  })
  return some
}

async function readPeople(filter: { search_term?: string }, signal?: AbortSignal): Promise<readonly Person[]> {
  const query = { ...filter, page_limit: people }
  return (await api.GET('/api/admin/users/v4/users', { params: { query }, ...(signal ? { signal } : {}) })).data.users
}

/** The values of a field of rules: of an attribute, the tags, the domain. */
function valuesIn({ email, tags, attributes }: Person, field: string): string[] {
  if (field === 'TAG') return tags.map(({ name }) => name)
  if (field === 'EMAIL_DOMAIN') return [email?.split('@')[1] ?? ''].filter(Boolean)
  const name = field.slice(attributeField.length)
  return field.startsWith(attributeField) ? attributes.flatMap((one) => (one.name === name ? one.value : [])) : []
}

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The values of a field that contain a text, those of the most people first. */
export function valuesAmong(some: readonly Person[], field: string, text: string): string[] {
  const counts = new Map<string, number>()
  for (const value of some.flatMap((one) => valuesIn(one, field))) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .filter(([value]) => folded(value).includes(folded(text)))
    .toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other))
    .map(([value]) => value)
    .slice(0, most)
}

/** A value as it is typed. */
export const typedValue = (text: string): Option | null =>
  text.trim() ? { value: text.trim(), text: text.trim() } : null

/** Values that people have, and what is typed: first where a part of a value is meant, last where a whole one is that nobody has. */
export function withTyped(values: readonly string[], text: string, isPart: boolean, { common }: Texts): Option[] {
  const typed = typedValue(text)
  const others = values.filter((value) => value !== typed?.value).map((value) => ({ value, text: value }))
  if (!typed) return others
  if (values.includes(typed.value)) return [typed, ...others]
  const asTyped = { ...typed, note: common.asTyped }
  return isPart ? [asTyped, ...others] : [...others, asTyped]
}

/** Whether somebody has the value, among suggestions: those with a note are only what was typed. */
export const isAmong = (suggestions: readonly Option[], value: string): boolean =>
  suggestions.some((one) => one.value === value && one.note === undefined)

type Wanted = {
  /** As rules name it, such as `ATTRIBUTE:department`. */
  field: string
  /** Whether a part of a value is meant. */
  isPart?: boolean
  texts: Texts
}

/** What can be chosen as the value of a field. */
export async function findValues(text: string, { field, isPart = false, texts }: Wanted, signal: AbortSignal) {
  const isSearched = text.trim() !== '' && searched.includes(field)
  // One call for each pause of the keys.
  const known = isSearched && some === undefined ? [] : await somePeople()
  const found = isSearched ? await readPeople({ search_term: text }, signal) : []
  return withTyped(valuesAmong([...found, ...known], field, text.trim()), text, isPart, texts)
}
