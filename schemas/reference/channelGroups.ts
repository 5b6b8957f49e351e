import * as contracts from '../channels.ts'
import { fieldsOf, operations, prose } from './describe.ts'
import { groupReferenceFields, offsetPage, offsetPaginationFields } from './shared.ts'

export const path = (example: string) => ({ channel_id: ['The id of the channel.', example] }) as const

const channelGroupFields = fieldsOf(contracts.channelGroup)({
  id: ['The id of the user group that is attached.', 'warehouse'],
  role_id: ['The id of the role that the members of the group hold on the channel.', 'channel-member'],
  user_group: ['The user group.', groupReferenceFields],
})

/** The operations on the user groups that are attached to a channel. */
export const channelGroups = operations(contracts, {
  listChannelGroups: {
    text: prose(`
      Lists the user groups that are attached to a channel, by the title in the language of the caller. Archived groups
      are listed, too, but give no roles. The channel may be archived.`),
    path: path('safety'),
    query: offsetPage,
    answers: { 200: 'One page of the attached groups, and their total.' },
    answer: {
      assignments: ['The attached groups on this page, by title; ties are sorted by id.', channelGroupFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createChannelGroup: {
    text: prose(`
      Attaches a user group to a channel. While a user holds a role in the group, or in an active group below it, they
      hold \`role_id\` on the channel. Such assignments have the source \`USER_GROUP\`.

      **Allowed** while channel and group are \`ACTIVE\`. A group that is archived later stays attached, and gives
      no roles until it is restored.

      **What else changes:** the members of the group become members of the channel. They do not get tasks that were
      given to the channel before.

      **Repeating it** is refused with 409 \`ASSIGNMENT_ALREADY_EXISTS\`, also with another role: detach the group
      first.

      **Limits:** the role must exist, have the scope \`CHANNELS\`, and be one that the caller may hand out. This also
      applies to the channel's default role.`),
    path: path('floor'),
    body: {
      user_group_id: ['The id of an active user group.', 'people'],
      role_id: [
        'The id of the role for the members of the group. If it is missing or null, the default role of the channel is used.',
        'channel-editor',
      ],
    },
    answers: { 201: 'The group was attached.' },
    answer: channelGroupFields,
    examples: [
      { title: 'Attach a group', status: 201, body: { user_group_id: 'people', role_id: 'channel-editor' } },
      { title: 'With the default role', status: 201, body: { user_group_id: 'site-lyon' } },
    ],
  },

  deleteChannelGroup: {
    text: prose(`
      Detaches a user group from a channel.

      **Allowed** in every status of channel and group.

      **What else changes:** the members of the group lose the roles on the channel that they held through it, at once.
      They keep roles that they hold directly or through other groups, and the tasks that they have. The channel may
      be left without an owner.

      **Repeating it** answers 404 \`CHANNEL_USER_GROUP_NOT_FOUND\`.`),
    path: {
      channel_id: ['The id of the channel.', 'safety'],
      user_group_id: ['The id of the user group.', 'warehouse'],
    },
    answers: { 204: 'The group was detached.' },
  },
})
