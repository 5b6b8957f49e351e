import { creationOfImported } from '../../domain/import/importedUser.ts'
import { type AttributeDefinition, definitions } from '../../domain/people/records/attributeDefinition.ts'
import type { Channel } from '../../domain/people/records/channel.ts'
import { type Group, groupMembers } from '../../domain/people/records/group.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { newOrganisation, type Organisation, organisations } from '../../domain/people/records/organisation.ts'
import { type Role, roles as roleRecords } from '../../domain/people/records/role.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { userFields } from '../../domain/people/records/userFields.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { closedShard } from '../../domain/table/counters.ts'
import { definitionSlotKey } from '../../domain/table/keys.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import { firstSecret } from '../../handlers/middleware/seals.ts'
import { type Counters, putAll, writeCounts } from './bulk.ts'

export type Seed = {
  features?: Partial<Organisation['features']>
  users?: Partial<UserRecord>[]
  /** Attribute definitions besides the five that tests know by name; with 45 there are as many as there may be. */
  extras?: number
}

const created_at = '2026-01-01T00:00:00.000Z'

/** A user group below the root. */
export const groupRecord = (id: string, type: Group['type'] = 'CUSTOM', status: Group['status'] = 'ACTIVE'): Group => ({
  id,
  external_id: null,
  title: [
    { language: 'en-GB', text: `Group ${id}` },
    { language: 'de-DE', text: `Gruppe ${id}` },
  ],
  description: [],
  type,
  status,
  parent_id: type === 'ROOT' ? null : 'root',
  created_at,
  updated_at: created_at,
})

const definition = (technical_name: string, attribute_type: AttributeDefinition['attribute_type']) => ({
  id: technical_name,
  technical_name,
  title: [{ language: 'en-GB', text: technical_name }],
  attribute_type,
  user_permission: 'VIEW' as const,
  predefined: false,
  created_at,
})

/** What a creation needs besides the names of a user. */
export const ordinary = { role: 'USER', status: 'ACTIVE' } as const

/** The administrator who calls in most tests, a second one, and a user who is not an administrator. */
export const people: Partial<UserRecord>[] = [
  { id: 'admin', username: 'admin', role: 'ADMIN', first_name: 'Ada', last_name: 'Admin' },
  { id: 'admin-2', username: 'admin-2', role: 'ADMIN', first_name: 'Bea', last_name: 'Admin' },
  { id: 'plain', username: 'plain', first_name: 'Paul', last_name: 'Plain' },
]

/** An organisation with groups, attribute definitions and the first people, as the service's own writes would leave them. */
export async function seed(
  store: WorkStore,
  now: string,
  { features, users = people, extras = 0 }: Seed,
): Promise<void> {
  const organisation: Organisation = {
    ...newOrganisation,
    languages: ['en-GB', 'de-DE'],
    features: { ...newOrganisation.features, ...features },
    predefined: {
      ALL_USERS: 'all-users',
      ROOT: 'root',
      USER_GROUP_MEMBER: 'group-member',
      USER_GROUP_OWNER: 'group-owner',
      CHANNEL_MEMBER: 'channel-member',
      CHANNEL_OWNER: 'channel-owner',
    },
  }
  const groups = [
    groupRecord('root', 'ROOT'),
    groupRecord('all-users', 'ALL_USERS'),
    groupRecord('sales', 'CUSTOM'),
    groupRecord('archived', 'CUSTOM', 'ARCHIVED'),
  ]
  const attributes = [
    ...['department', 'location', 'job_title', 'note'].map((name) => definition(name, 'TEXT')),
    definition('joined_on', 'DATE'),
    ...Array.from({ length: extras }, (_, n) => definition(`extra_${n}`, 'TEXT')),
  ]
  await store.bulk([
    { put: itemOf(organisations, organisation) },
    { put: firstSecret(new Date(now)) },
    ...groups.flatMap(groupItems).map((put) => ({ put })),
    ...groupMembers('archived').keys.map((key) => ({ put: closedShard(key) })),
    ...roles().map((one) => ({ put: itemOf(roleRecords, one) })),
    ...attributes.flatMap((one, place) => [
      { put: itemOf(definitions, one) },
      { put: { ...definitionSlotKey(place), name: one.technical_name } },
    ]),
  ])
  const around = { now, shard: 0, memberRole: 'group-member' }
  const actions = users.flatMap((user) => creationOfImported(userRecord(user, now), around))
  const counters: Counters = new Map()
  await putAll(store, actions, counters)
  await writeCounts(store, counters)
}

/** A whole user record from the parts that matter to a test. */
export const userRecord = (parts: Partial<UserRecord>, now: string): UserRecord => ({
  ...userFields.create(
    { first_name: 'Some', last_name: 'One', username: parts.id ?? 'someone', status: 'ACTIVE', role: 'USER' },
    { id: 'someone', primary_user_group_id: 'all-users', created_at: now, updated_at: now },
  ),
  ...parts,
})

/** A channel without a title. */
export const channelRecord = (id: string, parts: Partial<Channel> = {}): Channel => ({
  id,
  title: [],
  description: [],
  status: 'ACTIVE',
  default_role_id: 'channel-member',
  created_at,
  updated_at: created_at,
  ...parts,
})

/** A role in user groups that may be given. */
export const roleRecord = (id: string, parts: Partial<Role> = {}): Role => ({
  id,
  external_id: null,
  title: [
    { language: 'en-GB', text: `Role ${id}` },
    { language: 'de-DE', text: `Rolle ${id}` },
  ],
  description: [],
  scope: 'USER_GROUPS',
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: ['READ'],
  assignable: true,
  created_at,
  updated_at: created_at,
  ...parts,
})

/** The predefined roles and one of every kind that matters to handing out. */
const roles = (): Role[] => [
  roleRecord('group-member', { type: 'PREDEFINED', predefined_role_type: 'USER_GROUP_MEMBER' }),
  roleRecord('group-owner', { type: 'PREDEFINED', predefined_role_type: 'USER_GROUP_OWNER' }),
  roleRecord('channel-member', { type: 'PREDEFINED', predefined_role_type: 'CHANNEL_MEMBER', scope: 'CHANNELS' }),
  roleRecord('channel-owner', { type: 'PREDEFINED', predefined_role_type: 'CHANNEL_OWNER', scope: 'CHANNELS' }),
  roleRecord('coach', { description: [{ language: 'en-GB', text: 'Trains others' }] }),
  roleRecord('reserved', { assignable: false }),
]
