import * as records from '../userRecords.ts'
import { fieldsOf } from './describe.ts'
import { allowedFields, embedOf, groupReferenceFields } from './shared.ts'

const attribute = {
  name: ['The technical name of an attribute definition.', 'job_title'],
  value: [
    'The value: up to 255 characters. For an attribute of type `DATE` a real date as `YYYY-MM-DD`.',
    'Warehouse operative',
  ],
} as const
const tag = { name: ['A free label: 1 to 64 characters, one line.', 'forklift-licence'] } as const
const picture = { file_id: ['The id of the picture in the file service: 1 to 255 characters.', 'portrait-1'] } as const

export const userFields = fieldsOf(records.user)({
  id: ['The id of the user. It never changes, and no other user ever gets it.', 'user-001'],
  external_id: ['The id of the user in another system, such as payroll, or null. Unique.', 'HR-10001'],
  first_name: ['The first name.', 'Olivia'],
  last_name: ['The last name.', 'Smith'],
  email: ['The e-mail address, or null. Several users may share one.', 'olivia.smith@nordwind.example'],
  status: [
    '`ACTIVE` users can log in and work; `LOCKED`, `DEACTIVATED` and `PENDING_DELETION` users cannot. The latter are deleted for good at `deletion_at`.',
    'ACTIVE',
  ],
  username: ['The name to log in with. Unique, ignoring case.', 'olivia.smith'],
  role: ['`ADMIN` may use everything under `/api/admin/`, `USER` may not.', 'USER'],
  required_actions: ['What the user has to do at their next login.', ['UPDATE_PASSWORD']],
  primary_user_group: [
    'The main group of the user. They hold the predefined role of a member there.',
    groupReferenceFields,
  ],
  attributes: ['The values of the attributes that the user has, each attribute once.', attribute],
  profile_picture: ['The profile picture, or null.', picture],
  tags: ['The labels of the user.', tag],
  preferred_language: ['The language in which the user reads texts, as a BCP 47 tag, or null.', 'de-DE'],
  created_at: ['When the user was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the record last changed: RFC 3339, UTC, milliseconds. A call that changes nothing keeps it.',
    '2026-11-21T09:00:00.000Z',
  ],
  deletion_at: [
    'The moment of the final deletion: RFC 3339, UTC, milliseconds. Only while the user is `PENDING_DELETION`.',
    '2026-12-05T09:00:00.000Z',
  ],
  actions: [
    'What the caller may do with this user now. Only with `embed=ACTIONS`.',
    {
      update: ['Change the user.', allowedFields],
      lock: ['Lock the user.', allowedFields],
      unlock: ['Unlock the user.', allowedFields],
      deactivate: ['Deactivate the user.', allowedFields],
      delete: ['Mark the user for deletion.', allowedFields],
      restore: ['Cancel the deletion.', allowedFields],
    },
  ],
})

/** What creation and patch have in common. */
const input = {
  external_id: [
    'The id of the user in another system: 1 to 255 characters, without outer white space. Unique. Null for none.',
    'HR-20417',
  ],
  first_name: ['The first name: 1 to 64 characters, without outer white space, at least one of them visible.', 'Zoë'],
  last_name: ['The last name: 1 to 64 characters, without outer white space, at least one of them visible.', 'Łukasz'],
  email: [
    'The e-mail address: 5 to 255 characters, up to 64 of them before the `@`. Several users may share one. Null for none.',
    'zoe.lukasz@nordwind.example',
  ],
  username: [
    'The name to log in with: 1 to 255 characters, without outer white space, control characters and other invisible characters but spaces. Unique, ignoring case.',
    'zoe.lukasz',
  ],
  required_actions: [
    'What the user has to do at their next login: any of `ACCEPT_TERMS_AND_CONDITIONS`, `UPDATE_PASSWORD` and `VERIFY_EMAIL`. Null for nothing.',
    ['UPDATE_PASSWORD'],
  ],
  attributes: ['The whole set of attribute values, up to 50, each attribute once. Null for none.', attribute],
  tags: ['The whole set of labels, up to 50. Null for none.', tag],
  profile_picture: ['The profile picture. Null for none.', picture],
  preferred_language: [
    'The language in which the user reads texts where their app names none (`Accept-Language`): one of the languages of the organisation, ignoring case. What is stored already is accepted, also after the organisation has dropped it. Null for none.',
    'de-DE',
  ],
} as const

export const userCreationFields = fieldsOf(records.userCreation)({
  ...input,
  id: [
    'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
    'zoe',
  ],
  role: ['`USER`, or `ADMIN` for a user who may use everything under `/api/admin/`.', 'USER'],
  status: ['The first status: `ACTIVE`, `LOCKED` or `DEACTIVATED`.', 'ACTIVE'],
  primary_user_group_id: [
    'The id of an active user group. If it is missing or null, the group of all users is taken.',
    'warehouse',
  ],
})

export const userPatchFields = fieldsOf(records.userPatch)({
  ...input,
  attributes: [
    'A list is the whole set of attribute values, up to 50, each attribute once. An object changes only the attributes that it names, each by its technical name: a text sets the value, null removes it; up to 50. Null for none.',
    attribute,
  ],
  role: ['`USER` or `ADMIN`. The last active administrator keeps the role.', 'ADMIN'],
  primary_user_group_id: [
    'The id of an active user group to move the user to. Null moves them to the group of all users.',
    'logistics',
  ],
})

/** What every operation on one user takes. */
export const embed = embedOf('`ACTIONS`: what the caller may do with the user now.', ['ACTIONS'])
export const userPath = (example: string) => ({ user_id: ['The id of the user.', example] }) as const
