import { roleReference } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'

/** One role that a user holds in a group or on a channel, and why. */
export const heldRole = object(
  {
    kind: { type: 'string', enum: ['USER_GROUP', 'CHANNEL'] },
    target: object(
      { id: { type: 'string' }, title: atom.localized, status: { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } },
      ['id', 'title', 'status'],
    ),
    role: roleReference,
    source: { type: 'string', enum: ['PRIMARY', 'MANUAL', 'RULE', 'USER_GROUP'] },
    rules: {
      type: 'array',
      items: object({ id: { type: 'string' }, title: { type: 'string' } }, ['id', 'title']),
    },
    through: { type: 'array', items: object({ user_group: atom.groupReference }, ['user_group']) },
  },
  ['kind', 'target', 'role', 'source', 'rules', 'through'],
)

export const listUserAccess = contract({
  name: 'listUserAccess',
  title: 'List the roles that a user holds, and why',
  tag: 'Users',
  access: 'administrator',
  scopes: ['READ', ['USERS', 'USER_GROUPS', 'CHANNELS']],
  path: object({ user_id: atom.id }, ['user_id']),
  query: object(atom.cursorPage, []),
  answers: {
    200: object({ access: { type: 'array', items: heldRole }, pagination: atom.cursorPagination }, [
      'access',
      'pagination',
    ]),
  },
  errors: ['USER_NOT_FOUND'],
})
