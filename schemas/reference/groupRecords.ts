import * as contracts from '../groups.ts'
import { fieldsOf } from './describe.ts'
import { allowedFields, embedOf, givenTexts, localizedFields } from './shared.ts'

/** Properties of a group that single operations and the list share. */
export const groupFacts = {
  id: ['The id of the user group.', 'warehouse'],
  external_id: ['The id of the group in another system, or null. Unique among groups.', 'ORG-WAREHOUSE'],
  status: [
    '`ACTIVE` groups are in use. `ARCHIVED` groups take no new members, give no roles on channels, and can only be restored or deleted.',
    'ACTIVE',
  ],
  type: [
    '`ROOT` is the group at the top of the tree, `ALL_USERS` the primary group of users without another one; all other groups are `CUSTOM`.',
    'CUSTOM',
  ],
  parent_id: ['The id of the group above; null only for the root.', 'operations'],
  number_of_contained_users: [
    'How many users hold a role in the group or in one below it, whatever the status of users and groups. Each user counts once. For the root, all users. Only with `embed=NUMBER_OF_CONTAINED_USERS`.',
    48,
  ],
  path: [
    'The groups from the root down to this one. Only with `embed=PATH`.',
    {
      id: ['The id of the group.', 'warehouse'],
      title: ['The title, in the language that fits the caller best.', localizedFields],
    },
  ],
  actions: [
    'What can be done with the group now. Only with `embed=ACTIONS`.',
    {
      update: ['Change texts and external id.', allowedFields],
      move: ['Move it below another group.', allowedFields],
      archive: ['Archive it.', allowedFields],
      restore: ['Restore it.', allowedFields],
      delete: ['Delete it with all groups below it, unless one of these is predefined.', allowedFields],
    },
  ],
  created_at: ['When the group was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the record last changed: RFC 3339, UTC, milliseconds. Changes of members do not count.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

export const groupFields = fieldsOf(contracts.group)({
  ...groupFacts,
  title: ['The title in all its languages.', localizedFields],
  description: ['What the group is for, in all its languages; empty if there is no description.', localizedFields],
})

/** What creation and patch have in common. */
export const givenGroup = {
  external_id: [
    'The id of the group in another system: 1 to 255 characters, without outer white space. Unique among groups. Null for none.',
    'ORG-NIGHT-SHIFT',
  ],
  title: [
    'The title in 1 to 100 languages: each is one line, with at least one visible character.',
    givenTexts(255, 'title'),
  ],
  description: [
    'What the group is for, in up to 100 languages. Null for none. Title and description together have up to 20,000 characters.',
    givenTexts(1000, 'description'),
  ],
} as const

export const groupEmbed = embedOf(
  '`NUMBER_OF_CONTAINED_USERS`: how many users there are, including those of groups below. `PATH`: the groups above. `ACTIONS`: what can be done with the group now.',
  ['NUMBER_OF_CONTAINED_USERS', 'PATH'],
)
export const groupPath = (example: string) => ({ group_id: ['The id of the user group.', example] }) as const
