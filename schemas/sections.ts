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
