import * as contracts from '../access.ts'
import { describe, prose } from './describe.ts'
import {
  cursorPage,
  cursorPaginationFields,
  groupReferenceFields,
  localizedFields,
  roleReferenceFields,
} from './shared.ts'
import { userPath } from './userRecords.ts'

export const access = describe(contracts, {
  listUserAccess: {
    text: prose(`
      Lists every role that a user holds, each once, and where it comes from: first those in user groups, then those on
      channels, each by the title of the group or channel and then of the role. The titles are sorted in the language of
      the first call.

      Archived groups and channels are listed with their status; an archived group confers no roles on channels. A user of any
      status can be asked for. On AWS a change may show here a moment later.`),
    path: userPath('user-002'),
    query: cursorPage,
    send: { page_limit: 3 },
    answers: { 200: 'One page of the roles of the user.' },
    answer: {
      access: [
        'The roles on this page.',
        {
          kind: ['Whether the role is held in a user group or on a channel.', 'USER_GROUP'],
          target: [
            'The user group or channel.',
            {
              id: ['The id of the user group or channel.', 'warehouse'],
              title: ['Its title, in the language that fits the caller best.', localizedFields],
              status: ['Whether it is in use (`ACTIVE`) or archived (`ARCHIVED`).', 'ACTIVE'],
            },
          ],
          role: ['The role.', roleReferenceFields],
          source: [
            'Where the role comes from. In a group: `PRIMARY` (it is the primary group), `MANUAL` (given by hand) or `RULE`. On a channel: `MANUAL` (held directly) or `USER_GROUP` (through attached groups only).',
            'RULE',
          ],
          rules: [
            'For `RULE`: the rules that give the role now. Empty for a user pending deletion, and for a role that an import has brought.',
            { id: ['The id of the rule.', 'site-hamburg'], title: ['The title of the rule.', 'Hamburg site'] },
          ],
          through: [
            'For `USER_GROUP`: the groups attached to the channel that confer the role.',
            {
              user_group: [
                'The attached group, which the user belongs to, or to a group below it.',
                groupReferenceFields,
              ],
            },
          ],
        },
      ],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },
})
