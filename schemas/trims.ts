import type { Section } from './sections.ts'

/**
 * Texts whose surrounding white space is dropped before anything looks at them, wherever a record comes in: in bodies and
 * in an import file. Where a property is a list of localized texts, each of them.
 */
export const trims = {
  roles: ['title', 'description'],
  user_groups: ['title', 'description'],
  attribute_definitions: ['title'],
  channels: ['title', 'description'],
  users: ['first_name', 'last_name'],
  tasks: ['title'],
} as const satisfies Partial<Record<Section, readonly string[]>>
