// What somebody wants to do with many people, as a plan takes it. Pure.
import type { paths } from '../../client/src/index.ts'
import type { Option } from '../data/choices.ts'

type Body = NonNullable<
  paths['/api/admin/organisations/v4/plans']['post']['requestBody']
>['content']['application/json']
export type PlanSelect = NonNullable<Body['select']>
export type PlanChange = NonNullable<Body['change']>

export const lifeCycle = ['LOCK', 'UNLOCK', 'DEACTIVATE', 'REACTIVATE', 'DELETE', 'RESTORE'] as const
export const kinds = [...lifeCycle, 'ASSIGN', 'UNASSIGN', 'GROUP', 'TAGS', 'ATTRIBUTE'] as const
export type Kind = (typeof kinds)[number]

export type Wanted = {
  /** '' until somebody has chosen. */
  kind: Kind | ''
  group: Option | null
  role: string
  addTag: string
  removeTag: string
  attribute: string
  value: string
}

const listOf = (tag: string) => (tag.trim() ? [tag.trim()] : [])

/** The change of a plan; undefined while something is missing. */
export const changeOf = (wanted: Wanted): PlanChange | undefined => {
  const { kind } = wanted
  if (kind === '') return undefined
  const action = lifeCycle.find((one) => one === kind)
  return action ? { action } : changes[kind as Exclude<Kind, (typeof lifeCycle)[number]>](wanted)
}

const changes: Record<Exclude<Kind, (typeof lifeCycle)[number]>, (wanted: Wanted) => PlanChange | undefined> = {
  TAGS: ({ addTag, removeTag }) => {
    const [add, remove] = [listOf(addTag), listOf(removeTag)]
    const tags = { ...(add.length > 0 ? { add } : {}), ...(remove.length > 0 ? { remove } : {}) }
    return Object.keys(tags).length > 0 ? { update: { tags } } : undefined
  },
  ATTRIBUTE: ({ attribute, value }) =>
    attribute ? { update: { attributes: { [attribute]: value || null } } } : undefined,
  GROUP: ({ group }) => (group ? { update: { primary_user_group_id: group.value } } : undefined),
  ASSIGN: (wanted) => withRole(wanted, (assign) => ({ assign })),
  UNASSIGN: (wanted) => withRole(wanted, (unassign) => ({ unassign })),
}

type InGroup = { user_group_id: string; role_id: string }

const withRole = ({ group, role }: Wanted, change: (given: InGroup) => PlanChange) =>
  group && role ? change({ user_group_id: group.value, role_id: role }) : undefined
