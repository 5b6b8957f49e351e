import type { FromSchema } from 'json-schema-to-ts'
import { predefinedRoleTypes, roleScopes } from './assignments.ts'
import * as atom from './atoms.ts'
import { nullable, object, type Schema } from './contract.ts'
import { features } from './organisation.ts'
import { requiredOfRule, ruleCreation } from './rules.ts'
import type { Section } from './sections.ts'
import { userCreation } from './userRecords.ts'
import { statuses, userRoles } from './userStates.ts'

/** A field with fixed values, so it needs no type. */
const fixed = <const E extends readonly string[]>(values: E) => ({ enum: values })

/** An optional field with fixed values. Null clears it; if it is missing, the stored value stays. */
const optional = <const E extends readonly string[]>(values: E) =>
  ({ enum: [...values, null] }) as { enum: (E[number] | null)[] }

/** The same ids as in the API, with the reserved words in the pattern. */
const id = { type: 'string', pattern: `^(?!(${atom.reservedIds.join('|')})$)${atom.id.pattern.slice(1)}` } as const

/** A day or a moment; the import checks it against the calendar. */
const date = { type: 'string' } as const

const organisation = object(
  {
    default_language: atom.language,
    languages: { type: 'array', minItems: 1, maxItems: 50, uniqueItems: true, items: atom.language },
    features: object(features, []),
  },
  [],
)

const role = object(
  {
    id,
    title: atom.titleInput(120),
    description: atom.descriptionInput(200),
    scope: fixed(roleScopes),
    type: fixed(['PREDEFINED', 'CUSTOM']),
    predefined_role_type: optional(predefinedRoleTypes),
    permissions: { type: 'array', maxItems: 200, uniqueItems: true, items: atom.line(1, 100) },
    assignable: { type: ['boolean', 'null'] },
  },
  ['id', 'title', 'scope', 'type', 'permissions'],
)

const activity = ['ACTIVE', 'ARCHIVED'] as const

const group = object(
  {
    id,
    title: atom.titleInput(255),
    description: atom.descriptionInput(1000),
    type: fixed(['ROOT', 'ALL_USERS', 'CUSTOM']),
    parent_id: nullable(atom.reference),
    status: optional(activity),
    external_id: nullable(atom.line(1, 255)),
  },
  ['id', 'title', 'type'],
)

const attributeDefinition = object(
  {
    technical_name: id,
    title: atom.titleInput(255),
    attribute_type: fixed(['TEXT', 'PHONE_NUMBER', 'DATE']),
    user_permission: optional(['VIEW', 'EDIT', 'HIDDEN']),
  },
  ['technical_name', 'title', 'attribute_type'],
)

const user = object(
  {
    ...userCreation.properties,
    id: nullable(id),
    role: optional(userRoles),
    status: optional(statuses),
    protected: { type: ['boolean', 'null'] },
    deletion_at: nullable(date),
  },
  ['first_name', 'last_name', 'username'],
)

/** An id of a record in the file or in the table; the import checks whether there is one. */
const reference = { type: 'string' } as const

const groupAssignment = object(
  {
    group_id: reference,
    user_id: reference,
    role_id: reference,
    source: fixed(['PRIMARY', 'MANUAL', 'RULE']),
  },
  ['group_id', 'user_id', 'role_id', 'source'],
)

const channel = object({ id, title: atom.titleInput(255), default_role_id: reference, status: optional(activity) }, [
  'id',
  'title',
  'default_role_id',
])

const channelGroup = object({ channel_id: reference, group_id: reference, role_id: reference }, [
  'channel_id',
  'group_id',
  'role_id',
])

const rule = object({ ...ruleCreation, id: nullable(id) }, requiredOfRule)

const channelAssignment = object({ channel_id: reference, user_id: reference, role_id: reference }, [
  'channel_id',
  'user_id',
  'role_id',
])

const form = nullable(atom.text(50_000))

const task = object(
  {
    id,
    author_id: reference,
    title: atom.line(1, 150),
    body: object({ plain: form, delta: form, html: form }, []),
    due_at: nullable(
      object(
        {
          due_at_type: fixed(['DATE', 'DATE_TIME']),
          date: nullable(date),
          date_time: nullable(date),
        },
        ['due_at_type'],
      ),
    ),
    external_id: nullable(atom.line(1, 255)),
  },
  ['id', 'author_id', 'title', 'body'],
)

const taskAssignment = object(
  { task_id: reference, user_id: reference, progress_status: optional(['NEW', 'OPEN', 'FINISHED']) },
  ['task_id', 'user_id'],
)

/**
 * The schema of one record of an import file, by section, in the order of sections.
 * `organisation` is one record, all others are lists of records.
 */
export const recordSchemas = {
  organisation,
  roles: role,
  user_groups: group,
  attribute_definitions: attributeDefinition,
  channels: channel,
  channel_user_groups: channelGroup,
  user_group_rules: rule,
  users: user,
  user_group_assignments: groupAssignment,
  channel_assignments: channelAssignment,
  tasks: task,
  task_assignments: taskAssignment,
} as const satisfies Record<Section, Schema>

/**
 * The records of an import file by section. Spelled out, because TypeScript gives up on a mapped type over all of
 * them.
 */
export type SectionRecords = {
  organisation: FromSchema<typeof organisation>
  roles: FromSchema<typeof role>
  user_groups: FromSchema<typeof group>
  attribute_definitions: FromSchema<typeof attributeDefinition>
  channels: FromSchema<typeof channel>
  channel_user_groups: FromSchema<typeof channelGroup>
  user_group_rules: FromSchema<typeof rule>
  users: FromSchema<typeof user>
  user_group_assignments: FromSchema<typeof groupAssignment>
  channel_assignments: FromSchema<typeof channelAssignment>
  tasks: FromSchema<typeof task>
  task_assignments: FromSchema<typeof taskAssignment>
}
