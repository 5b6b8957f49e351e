/** The sections of an import file, in the order in which they are imported. */
export const sections = [
  'organisation',
  'roles',
  'user_groups',
  'attribute_definitions',
  'channels',
  'channel_user_groups',
  'user_group_rules',
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
  user_group_rules: ['title'],
  users: ['external_id', 'first_name', 'last_name', 'username'],
  tasks: ['external_id', 'title'],
} as const satisfies Partial<Record<Section, readonly string[]>>
