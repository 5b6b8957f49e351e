import { call } from '../harness/call.ts'
import { type Line, linesOf } from './line.ts'

const path = { role_id: 'mentor' }
const mentor = {
  id: 'mentor',
  external_id: 'MENTOR',
  title: [{ language: 'en-GB', text: 'Mentor' }],
  scope: 'USER_GROUPS',
}

/** What the endpoints of roles cost. */
export const roleLines: readonly Line[] = [
  ...linesOf('listRoles', [{ scenario: 'first page', request: {}, costs: [2, 1, 2.5, 0] }]),
  ...linesOf('createRole', [
    { scenario: 'with an external id', request: { body: mentor }, status: 201, costs: [2, 2, 3, 11] },
  ]),
  ...linesOf('getRole', [{ scenario: 'a role', request: { path }, costs: [1, 1, 3, 0] }]),
  ...linesOf('updateRole', [
    { scenario: 'not assignable', request: { path, body: { assignable: false } }, costs: [2, 2, 3, 7] },
    { scenario: 'the same again', request: { path, body: { assignable: false } }, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('deleteRole', [
    {
      scenario: 'in use',
      before: () =>
        call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id: 'u-121', role_id: 'coach' } }),
      request: { path: { role_id: 'coach' } },
      status: 409,
      costs: [2, 1, 3, 0],
    },
    { scenario: 'not in use', request: { path }, status: 204, costs: [3, 2, 3, 73] },
  ]),
]
