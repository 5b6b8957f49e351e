import * as contracts from '../groups.ts'
import { operations, prose } from './describe.ts'
import { groupEmbed, groupFields, groupPath } from './groupRecords.ts'

/** The operations that archive, restore and delete a group. */
export const groupLife = operations(contracts, {
  archiveGroup: {
    text: prose(`
      Archives a user group: users can no longer join it. The channels that it is attached to lose the members that
      they had through it, including those of groups below.

      **Allowed** while the group is \`ACTIVE\`, but not for the root and the group of all users.

      **What else changes:** users whose primary group it was move to the group of all users, whatever their status.
      If they were a member by hand or by a rule before, they become that again. The call does as much
      of this as it has time for; the rest follows within moments. All other roles in the group stay, and can be removed.
      Groups below stay active.

      **Repeating it** is refused with 409 \`USER_GROUP_ARCHIVED\`.`),
    path: groupPath('mail-room'),
    query: { embed: groupEmbed },
    answers: { 200: 'The group, now `ARCHIVED`.' },
    answer: groupFields,
  },

  restoreGroup: {
    text: prose(`
      Restores an archived user group: users can join it, and its members are members of the channels that it is
      attached to.

      **Allowed** while the group is \`ARCHIVED\` and the group above it is active; otherwise restore that one first (409
      \`USER_GROUP_ARCHIVED\`).

      **What else changes:** nothing. Users who moved to the group of all users when it was archived stay there. If some
      of them have not been moved yet, this happens first; if it takes too long, the answer is 503.

      **Repeating it** is refused with 409 \`USER_GROUP_NOT_ARCHIVED\`.`),
    path: groupPath('print-shop'),
    query: { embed: groupEmbed },
    answers: { 200: 'The group, now `ACTIVE`.' },
    answer: groupFields,
  },

  deleteGroup: {
    text: prose(`
      Deletes an archived user group for good, with all groups below it, whatever their statuses.

      **Allowed** while the group is \`ARCHIVED\`. The root and the group of all users cannot be deleted, nor can a group
      with one of them below it (403 \`USER_GROUP_IS_PREDEFINED\`).

      **What else changes:** all roles in these groups end, and the groups are attached to no channel any more. Users
      whose primary group was one of them move to the group of all users. After the answer no operation finds the
      groups; their assignments end at once or a little later. Then the ids of the groups are free again.

      **Repeating it** answers 404 \`USER_GROUP_NOT_FOUND\`.

      **Limits:** the deletion of very many groups may answer 503. Then it has begun and continues.`),
    path: groupPath('call-centre'),
    answers: { 204: 'The group was deleted, with all groups below it.' },
  },
})
