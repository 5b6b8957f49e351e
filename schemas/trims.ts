import type { Section } from './sections.ts'

/**
 * Texts whose surrounding white space is dropped before anything looks at them, wherever a record comes in: in bodies and
 * in an import file. Where a property is a list of localized texts, each of them.
 */
export const trims = {
  roles: ['external_id', 'title', 'description'],
  user_groups: ['external_id', 'title', 'description'],
  attribute_definitions: ['title'],
  channels: ['title', 'description'],
  users: ['external_id', 'first_name', 'last_name', 'username'],
  tasks: ['external_id', 'title'],
} as const satisfies Partial<Record<Section, readonly string[]>>
