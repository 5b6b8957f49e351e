import { call } from '../harness/call.ts'
import { type Line, linesOf } from './line.ts'

const at = (user_id: string) => ({ path: { group_id: 'sales', user_id, role_id: 'coach' } })
const hundred = <T>(item: (user_id: string) => T) => ({
  body: { items: Array.from({ length: 100 }, (_, n) => item(`u-${n + 1}`)) },
})

/** Makes it the primary group of two. */
async function joinHamlet(): Promise<void> {
  for (const user_id of ['u-50', 'u-51'])
    await call('updateUser', { path: { user_id }, body: { primary_user_group_id: 'hamlet' } })
}

const hamlet = { id: 'hamlet', title: [{ language: 'en-GB', text: 'Hamlet' }], parent_id: 'sales' }

/** What the endpoints of groups cost. */
export const groupLines: readonly Line[] = [
  ...linesOf('listGroups', [
    // Two units for the layout and the key of cursors: more than a minute has passed since they were read.
    { scenario: 'first page', request: {}, costs: [2, 1, 5.5, 0] },
    {
      scenario: 'search, with PATH and ACTIONS',
      request: { query: { search_term: 'sal', embed: 'PATH,ACTIONS' } },
      costs: [2, 1, 3.5, 0],
    },
  ]),
  ...linesOf('listGroups', [
    {
      scenario: 'numbers of contained users',
      request: { query: { embed: 'NUMBER_OF_CONTAINED_USERS', type: 'CUSTOM', page_limit: 3 } },
      costs: [17, 3, 11, 0],
      // All groups, then their counters, then the lists: small ones are read whole at once.
      waves: 3,
    },
  ]),
  ...linesOf('createGroup', [
    {
      scenario: 'below another',
      request: { body: { ...hamlet, external_id: 'HAMLET' } },
      status: 201,
      costs: [2, 2, 4, 19],
    },
  ]),
  ...linesOf('getGroup', [
    { scenario: 'a group', request: { path: { group_id: 'hamlet' } }, costs: [1, 1, 3, 0] },
    {
      scenario: 'with PATH and ACTIONS',
      request: { path: { group_id: 'hamlet' }, query: { embed: 'PATH,ACTIONS' } },
      costs: [3, 2, 5.5, 0],
    },
  ]),
  ...linesOf('getGroup', [
    {
      scenario: 'number of contained users: one list',
      request: { path: { group_id: 'it' }, query: { embed: 'NUMBER_OF_CONTAINED_USERS' } },
      costs: [4, 2, 5, 0],
    },
    {
      scenario: 'number of contained users: of the root',
      request: { path: { group_id: 'root' }, query: { embed: 'NUMBER_OF_CONTAINED_USERS' } },
      costs: [3, 2, 5, 0],
    },
    {
      scenario: 'number of contained users: several lists',
      request: { path: { group_id: 'logistics' }, query: { embed: 'NUMBER_OF_CONTAINED_USERS' } },
      costs: [4, 2, 5, 0],
      waves: 4,
    },
  ]),
  ...linesOf('updateGroup', [
    {
      scenario: 'a title',
      request: { path: { group_id: 'hamlet' }, body: { title: [{ language: 'en-GB', text: 'Village' }] } },
      costs: [2, 2, 3, 7],
    },
    {
      scenario: 'moved below another',
      request: { path: { group_id: 'hamlet' }, body: { parent_id: 'root' } },
      costs: [3, 3, 6, 13],
      // The tree is read alone, so that its version is older.
      waves: 3,
    },
  ]),
  ...linesOf('archiveGroup', [
    {
      scenario: 'without members',
      request: { path: { group_id: 'hamlet' } },
      costs: [6, 5, 5.5, 77],
      // Afterwards a read makes sure that no user has it as primary group.
      waves: 5,
    },
  ]),
  ...linesOf('restoreGroup', [
    { scenario: 'without members', request: { path: { group_id: 'hamlet' } }, costs: [3, 2, 5, 77] },
  ]),
  ...linesOf('archiveGroup', [
    {
      scenario: 'the primary group of two',
      before: joinHamlet,
      request: { path: { group_id: 'hamlet' } },
      costs: [12, 9, 13, 115],
      waves: 9,
    },
  ]),
  ...linesOf('deleteGroup', [
    {
      scenario: 'without members',
      request: { path: { group_id: 'hamlet' } },
      status: 204,
      costs: [11, 9, 9.5, 81],
      // After the fourth wave the groups are deleted: the others remove what is left of them.
      waves: 9,
    },
  ]),
  ...linesOf('listAssignableGroupRoles', [
    { scenario: 'first page', request: { path: { group_id: 'sales' } }, costs: [2, 1, 3.5, 0] },
  ]),
  ...linesOf('createGroupAssignment', [
    {
      scenario: 'a user',
      request: { path: { group_id: 'sales' }, body: { user_id: 'u-121', role_id: 'coach' } },
      status: 201,
      costs: [2, 2, 6, 14],
    },
  ]),
  ...linesOf('getGroupAssignment', [{ scenario: 'an assignment', request: at('u-121'), costs: [1, 1, 5, 0] }]),
  ...linesOf('listGroupAssignments', [
    { scenario: 'first page', request: { path: { group_id: 'sales' } }, costs: [6, 3, 7, 0] },
    {
      scenario: 'a page far after the last',
      request: { path: { group_id: 'sales' }, query: { page_number: Number.MAX_SAFE_INTEGER } },
      costs: [3, 1, 4, 0],
    },
    {
      scenario: 'search',
      request: { path: { group_id: 'sales' }, query: { search_term: 'ann' } },
      costs: [7, 2, 6, 0],
    },
    {
      scenario: 'one role',
      request: { path: { group_id: 'sales' }, query: { role_ids: 'coach' } },
      costs: [5, 3, 5, 0],
    },
  ]),
  ...linesOf('deleteGroupAssignment', [{ scenario: 'an assignment', request: at('u-121'), costs: [2, 2, 5, 12] }]),
  ...linesOf('createGroupAssignments', [
    {
      scenario: '100',
      request: hundred((user_id) => ({ group_id: 'sales', body: { user_id, role_id: 'coach' } })),
      costs: [100, 8, 362, 1276],
    },
  ]),
  ...linesOf('deleteGroupAssignments', [
    { scenario: '100', request: hundred((user_id) => ({ id: at(user_id).path })), costs: [99, 8, 351, 1080] },
  ]),
]
