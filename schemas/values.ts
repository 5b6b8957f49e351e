// Values that the code of the service shares with the schemas. This file imports nothing and makes nothing: whatever uses it
// takes no schemas into its bundle.

/** The sections of an import file, in the order in which they are imported. */
export const sections = [
  'organisation',
  'roles',
  'user_groups',
  'attribute_definitions',
  'channels',
  'channel_user_groups',
  'users',
  'user_group_assignments',
  'channel_assignments',
  'tasks',
  'task_assignments',
] as const

/** A section of an import file. */
export type Section = (typeof sections)[number]

/** The `trims` of records, by section of an import file: those of contracts and of the import are the same. */
export const trims = {
  roles: ['external_id', 'title', 'description'],
  user_groups: ['external_id', 'title', 'description'],
  attribute_definitions: ['title'],
  channels: ['title', 'description'],
  users: ['external_id', 'first_name', 'last_name', 'username'],
  tasks: ['external_id', 'title'],
} as const satisfies Partial<Record<Section, readonly string[]>>

/** The values of a user's status, role and required actions. */
export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export const roles = ['USER', 'ADMIN'] as const
export const requiredActions = ['ACCEPT_TERMS_AND_CONDITIONS', 'UPDATE_PASSWORD', 'VERIFY_EMAIL'] as const

/**
 * Characters that show nothing, as part of a character class: white space, joiners, fillers, marks of direction and of
 * layout, blank Braille included.
 */
export const unseen = '\\s\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{1d159}'
