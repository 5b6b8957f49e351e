import * as contracts from '../users.ts'
import { operations, prose } from './describe.ts'
import { batchRules, conditionalAnswer, ifMatch } from './shared.ts'
import { embed, userFields, userPatchFields } from './userRecords.ts'

const batch = conditionalAnswer(
  ['The id of the user, as far as it could be read; else null.', 'user-015'] as const,
  userFields,
)
/** The operations on up to 100 users. */
export const batches = operations(contracts, {
  updateUsers: {
    text: prose(`
      Changes up to 100 users, each by its own merge patch (see *Update a user*).

      ${batchRules}`),
    query: { embed },
    body: {
      items: [
        'The users to change, 1 to 100.',
        {
          id: ['The id of the user.', 'user-015'],
          if_match: ifMatch,
          body: ['The merge patch for this user.', userPatchFields],
        },
      ],
    },
    answers: { 200: 'One result for each item, in the order of the request.' },
    answer: batch,
    examples: [
      {
        title: 'Change two users',
        status: 200,
        body: {
          items: [
            { id: 'user-015', body: { tags: [{ name: 'works-council' }] } },
            { id: 'user-016', body: { primary_user_group_id: 'logistics' } },
          ],
        },
      },
      {
        title: 'One item fails',
        status: 200,
        body: {
          items: [
            { id: 'user-017', body: { required_actions: ['VERIFY_EMAIL'] } },
            { id: 'user-999', body: { required_actions: ['VERIFY_EMAIL'] } },
          ],
        },
      },
    ],
  },

  deleteUsers: {
    text: prose(`
      Marks up to 100 users for deletion in 14 days (see *Mark a user for deletion in 14 days*).

      ${batchRules}`),
    query: { embed },
    body: { items: ['The users to delete, 1 to 100.', { id: ['The id of the user.', 'user-018'], if_match: ifMatch }] },
    answers: { 200: 'One result for each item, in the order of the request.' },
    answer: batch,
    examples: [{ title: 'Delete two users', status: 200, body: { items: [{ id: 'user-018' }, { id: 'user-019' }] } }],
  },

  restoreUsers: {
    text: prose(`
      Cancels up to 100 deletions (see *Restore a user before the final deletion*).

      ${batchRules}`),
    query: { embed },
    body: {
      items: ['The users to restore, 1 to 100.', { id: ['The id of the user.', 'user-080'], if_match: ifMatch }],
    },
    answers: { 200: 'One result for each item, in the order of the request.' },
    answer: batch,
    examples: [{ title: 'Restore two users', status: 200, body: { items: [{ id: 'user-080' }, { id: 'user-117' }] } }],
  },
})
