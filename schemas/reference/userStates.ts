import * as contracts from '../users.ts'
import { operations, prose } from './describe.ts'
import { embed, userFields, userPath } from './userRecords.ts'

/** The operations that change the status of a user. */
export const states = operations(contracts, {
  deleteUser: {
    text: prose(`
      Marks a user for deletion. From now on they cannot log in, and all their tokens are refused. 14 days later, at
      \`deletion_at\`, they are deleted for good. Until then the deletion can be cancelled (\`restore\`).

      **Allowed** in every status, but not for yourself, and not for the last active administrator.

      **What else changes:** nothing until \`deletion_at\`: assignments, username and external id are kept. At
      \`deletion_at\` no operation finds the user any more. Only their task assignments stay, without a name.
      The id is never used again.

      **Repeating it** changes nothing: \`deletion_at\` stays.`),
    path: userPath('user-010'),
    query: { embed },
    answers: { 200: 'The user, now `PENDING_DELETION`, with `deletion_at`.' },
    answer: userFields,
  },

  lockUser: {
    text: prose(`
      Locks a user: they cannot log in, and all their tokens are refused from the next request on.

      **Allowed** while the user is \`ACTIVE\`, but not for yourself, and not for the last active administrator. Roles
      and tasks are kept.

      **Repeating it** changes nothing: the user stays \`LOCKED\`.`),
    path: userPath('user-013'),
    query: { embed },
    answers: { 200: 'The user, now `LOCKED`.' },
    answer: userFields,
  },

  unlockUser: {
    text: prose(`
      Unlocks a user: they can log in and work again, with the roles and tasks that they had.

      **Allowed** while the user is \`LOCKED\`. **Repeating it** changes nothing: the user stays \`ACTIVE\`.`),
    path: userPath('user-008'),
    query: { embed },
    answers: { 200: 'The user, now `ACTIVE`.' },
    answer: userFields,
  },

  deactivateUser: {
    text: prose(`
      Deactivates a user, for a long absence for example: they cannot log in, and all their tokens are refused.

      **Allowed** while the user is \`ACTIVE\` or \`LOCKED\`, but not for yourself, and not for the last active
      administrator. Roles and tasks are kept, and so is a lock.

      **Repeating it** changes nothing: the user stays \`DEACTIVATED\`.`),
    path: userPath('user-014'),
    query: { embed },
    answers: { 200: 'The user, now `DEACTIVATED`.' },
    answer: userFields,
  },

  reactivateUser: {
    text: prose(`
      Reactivates a user: they can log in and work again. This works even if the feature
      \`user_deactivation\` is off. A user who was locked when they were deactivated is \`LOCKED\` again: only *Unlock a user*
      lifts a lock.

      **Allowed** while the user is \`DEACTIVATED\`. **Repeating it** changes nothing: the user stays \`ACTIVE\` or
      \`LOCKED\`.`),
    path: userPath('user-012'),
    query: { embed },
    answers: { 200: 'The user with the status that they had before the deactivation.' },
    answer: userFields,
  },

  restoreUser: {
    text: prose(`
      Cancels a deletion. The user gets the status that they had before, so a locked user
      is still locked afterwards. All roles and tasks are kept.

      **Allowed** while the user is \`PENDING_DELETION\` and before \`deletion_at\`. **Repeating it** is refused
      with 409 \`USER_NOT_RESTORABLE\`, because the user is not pending deletion any more.`),
    path: userPath('user-006'),
    query: { embed },
    answers: { 200: 'The user with the status that they had before the deletion.' },
    answer: userFields,
  },
})
