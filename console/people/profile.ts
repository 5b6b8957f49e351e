// A person's record as the form edits it: text for each field. Pure.
import type { Schemas } from '../data/api.ts'
import type { User } from './peopleQuery.ts'

export type Profile = {
  first_name: string
  last_name: string
  username: string
  email: string
  external_id: string
  role: User['role']
  primary_user_group_id: string
  preferred_language: string
  /** Separated by commas; one that has a comma stands in quotes. */
  tags: string
  /** Each attribute is a field of its name with this prefix. */
  [attribute: `attribute:${string}`]: string
}

export const prefix = 'attribute:'

export const profileOf = (user: User, attributes: readonly string[]): Profile => ({
  first_name: user.first_name,
  last_name: user.last_name,
  username: user.username,
  email: user.email ?? '',
  external_id: user.external_id ?? '',
  role: user.role,
  primary_user_group_id: user.primary_user_group?.id ?? '',
  preferred_language: user.preferred_language ?? '',
  tags: user.tags.map(({ name }) => tagText(name)).join(', '),
  ...Object.fromEntries(
    attributes.map((name) => [prefix + name, user.attributes.find((one) => one.name === name)?.value ?? '']),
  ),
})

const tagText = (name: string): string => (/,|^"/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

/** The tags of a text in which commas separate them, each once. One in quotes may have commas, and `""` for a quote. */
export function tagsOf(text: string): { name: string }[] {
  const found = [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/g)]
  const names = found.map(([, quoted, plain = '']) => (quoted?.replaceAll('""', '"') ?? plain).trim())
  return [...new Set(names)].filter(Boolean).map((name) => ({ name }))
}

/** The fields that null clears where the form has no text. */
const clearable = ['email', 'external_id', 'preferred_language'] as const

/** The PATCH with these changes: only what differs; empty if nothing does. */
export function patchOf(changed: Partial<Profile>): Schemas['UserPatch'] {
  const changes = Object.entries(changed).map(([field, value = '']): [string, string] => [field, value])
  const isAttribute = ([field]: [string, string]) => field.startsWith(prefix)
  const attributes = changes.filter(isAttribute).map(([field, value]) => [field.slice(prefix.length), value || null])
  const fields = changes.filter((change) => !isAttribute(change)).map(([field, value]) => [field, sentAs(field, value)])
  return {
    ...Object.fromEntries(fields),
    ...(attributes.length > 0 ? { attributes: Object.fromEntries(attributes) } : {}),
  }
}

function sentAs(field: string, value: string): unknown {
  if (field === 'tags') return tagsOf(value)
  return value === '' && clearable.some((one) => one === field) ? null : value
}

/** Faults that can be seen before anything is sent: field → what is wrong. */
export function missingIn(profile: Profile): (keyof Profile)[] {
  return (['first_name', 'last_name', 'username'] as const).filter((field) => profile[field].trim() === '')
}

export const emptyProfile: Profile = {
  first_name: '',
  last_name: '',
  username: '',
  email: '',
  external_id: '',
  role: 'USER',
  primary_user_group_id: '',
  preferred_language: '',
  tags: '',
}

/** The body that creates somebody with this profile, who is active at once. */
export function creationOf(profile: Profile): Schemas['UserCreation'] {
  const { first_name, last_name, username, role, tags, ...others } = profile
  const given = Object.entries(others).filter(([, value]) => value !== '')
  const attributes = given
    .filter(([field]) => field.startsWith(prefix))
    .map(([field, value]) => ({ name: field.slice(prefix.length), value }))
  const fields = Object.fromEntries(given.filter(([field]) => !field.startsWith(prefix)))
  return { ...fields, first_name, last_name, username, role, status: 'ACTIVE', attributes, tags: tagsOf(tags) }
}
