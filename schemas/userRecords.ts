import * as atom from './atoms.ts'
import { nullable, object } from './contract.ts'
import { statuses, userRoles } from './userStates.ts'

/** The values of a user's required actions. */
const requiredActions = ['ACCEPT_TERMS_AND_CONDITIONS', 'UPDATE_PASSWORD', 'VERIFY_EMAIL'] as const

const attribute = object({ name: atom.reference, value: atom.text(255) }, ['name', 'value'])
const tag = object({ name: atom.line(1, 64) }, ['name'])
const picture = object({ file_id: atom.line(1, 255) }, ['file_id'])
/** Allows `{}`. The middleware removes it, as it changes nothing, so the input keeps its type. */
const patchedPicture = { ...picture, required: [] } as unknown as typeof picture
const { allowed } = atom

export const userRole = { type: 'string', enum: userRoles } as const
export const status = { type: 'string', enum: statuses } as const
const attributes = { type: 'array', maxItems: 50, items: attribute } as const
/** The whole set as a list, or an object that changes the attributes that it names. */
const patchedAttributes = {
  type: ['array', 'object', 'null'],
  maxItems: 50,
  items: attribute,
  maxProperties: 50,
  additionalProperties: { ...atom.text(255), type: ['string', 'null'] },
} as const
const tags = { type: 'array', maxItems: 50, items: tag } as const
const actionsRequired = {
  type: 'array',
  maxItems: 50,
  items: { type: 'string', enum: requiredActions },
} as const

/** A user in answers. */
export const user = object(
  {
    id: { type: 'string' },
    external_id: { type: ['string', 'null'] },
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    email: { type: ['string', 'null'] },
    status,
    username: { type: 'string' },
    role: userRole,
    required_actions: { type: 'array', items: { type: 'string', enum: requiredActions } },
    primary_user_group: nullable(atom.groupReference),
    attributes: {
      type: 'array',
      items: object({ name: { type: 'string' }, value: { type: 'string' } }, ['name', 'value']),
    },
    profile_picture: { ...picture, type: ['object', 'null'] },
    tags: { type: 'array', items: tag },
    preferred_language: nullable(atom.language),
    created_at: atom.moment,
    updated_at: atom.moment,
    deletion_at: { ...atom.moment, description: 'The moment of final deletion; only while PENDING_DELETION' },
    actions: object(
      { update: allowed, lock: allowed, unlock: allowed, deactivate: allowed, delete: allowed, restore: allowed },
      ['update', 'lock', 'unlock', 'deactivate', 'delete', 'restore'],
    ),
  },
  [
    'id',
    'external_id',
    'first_name',
    'last_name',
    'email',
    'status',
    'username',
    'role',
    'required_actions',
    'primary_user_group',
    'attributes',
    'profile_picture',
    'tags',
    'preferred_language',
    'created_at',
    'updated_at',
  ],
)

/** The body that creates a user; null means absent. */
export const userCreation = object(
  {
    id: nullable(atom.id),
    external_id: nullable(atom.line(1, 255)),
    first_name: atom.line(1, 64),
    last_name: atom.line(1, 64),
    email: nullable(atom.email),
    username: atom.username,
    role: userRole,
    status: { type: 'string', enum: ['ACTIVE', 'LOCKED', 'DEACTIVATED'] },
    required_actions: nullable(actionsRequired),
    attributes: nullable(attributes),
    tags: nullable(tags),
    profile_picture: nullable(picture),
    preferred_language: nullable(atom.language),
    primary_user_group_id: nullable(atom.reference),
  },
  ['first_name', 'last_name', 'username', 'role', 'status'],
)

/** A merge patch of a user: absent fields stay, null clears. */
export const userPatch = object(
  {
    external_id: nullable(atom.line(1, 255)),
    first_name: atom.line(1, 64),
    last_name: atom.line(1, 64),
    email: nullable(atom.email),
    username: atom.username,
    role: { type: 'string', enum: userRoles },
    required_actions: nullable(actionsRequired),
    attributes: patchedAttributes,
    tags: nullable(tags),
    profile_picture: nullable(patchedPicture),
    preferred_language: nullable(atom.language),
    primary_user_group_id: nullable(atom.reference),
  },
  [],
)

/** The answer of a batch. */
export const userBatch = object(
  {
    items: {
      type: 'array',
      items: object(
        {
          id: { type: ['string', 'null'] },
          status: { type: 'integer' },
          etag: { type: 'string' },
          body: user,
          error: atom.problem,
        },
        ['id', 'status'],
      ),
    },
  },
  ['items'],
)

/** The fields by which users can be sorted. */
export const userSorts = [
  'FIRST_NAME',
  'LAST_NAME',
  'USERNAME',
  'EMAIL',
  'DEPARTMENT',
  'LOCATION',
  'ROLE',
  'STATUS',
  'CREATED_AT',
  'UPDATED_AT',
] as const
