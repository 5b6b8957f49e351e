import { useEffect } from 'preact/hooks'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'
import { api, type Schemas } from './api.ts'
import { useStore } from './useStore.ts'

/** A record that has a title. */
export type Titled = { kind: keyof typeof readers; id: string }
export type Title = string | readonly Schemas['Localized'][]

/** What has been read, for as long as the page is open: each record once. Without a title: it is being read, or cannot be. */
const known = new Map<string, Title>()
let answers = 0
const listeners = new Set<() => void>()
const keyOf = ({ kind, id }: Titled) => `${kind} ${id}`
const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** How the title of a record is read, or what else people know it by. */
const readers = {
  user_group: async (group_id: string): Promise<Title> =>
    (await api.GET('/api/admin/users/v4/user-groups/{group_id}', { params: { path: { group_id } } })).data.title,
  channel: async (channel_id: string): Promise<Title> =>
    (await api.GET('/api/admin/channels/v4/channels/{channel_id}', { params: { path: { channel_id } } })).data.title,
  role: async (role_id: string): Promise<Title> =>
    (await api.GET('/api/admin/users/v4/roles/{role_id}', { params: { path: { role_id } } })).data.title,
  user_group_rule: async (rule_id: string): Promise<Title> =>
    (await api.GET('/api/admin/users/v4/user-group-rules/{rule_id}', { params: { path: { rule_id } } })).data.title,
  plan: async (plan_id: string): Promise<Title> =>
    (await api.GET('/api/admin/organisations/v4/plans/{plan_id}', { params: { path: { plan_id } } })).data.title ?? '',
  // From its events: only authors and recipients can read a task, and reading opens it.
  task: async (record_id: string): Promise<Title> => {
    const query = { record_kind: 'task' as const, record_id, type: ['task.created' as const, 'task.updated' as const] }
    const { data } = await api.GET('/api/admin/organisations/v4/events', { params: { query } })
    const [title] = data.events.flatMap(({ changes }) => changes.filter(({ field }) => field === 'title'))
    return typeof title?.after === 'string' ? title.after : ''
  },
  service_token: async (token_id: string): Promise<Title> =>
    (await api.GET('/api/admin/organisations/v4/service-tokens/{token_id}', { params: { path: { token_id } } })).data
      .name,
  webhook: async (webhook_id: string): Promise<Title> =>
    (await api.GET('/api/admin/organisations/v4/webhooks/{webhook_id}', { params: { path: { webhook_id } } })).data.url,
}

/** Whether records of this kind have a title that can be read here. */
export const hasTitle = (kind: string): kind is Titled['kind'] => Object.hasOwn(readers, kind)

/** Takes the title of a record that another answer has told, so that it is not read. What is known already stays. */
export function learnTitle(record: Titled, title: Title): void {
  if (!known.has(keyOf(record))) known.set(keyOf(record), title)
}

/** The titles of records. Those that have none, or are gone, are called by their ids. */
export function useTitles(records: readonly Titled[]): (record: Titled) => string {
  const texts = useTexts()
  useStore(subscribe, () => answers)
  const key = records.map(keyOf).join()
  useEffect(() => {
    for (const record of records) {
      if (known.has(keyOf(record))) continue
      known.set(keyOf(record), [])
      readers[record.kind](record.id).then(
        (title) => {
          known.set(keyOf(record), title)
          answers++
          for (const changed of listeners) changed()
        },
        // A title is a help, not what was asked for: the id stays.
        () => {},
      )
    }
  }, [key])
  return (record) => {
    const title = known.get(keyOf(record)) ?? ''
    return (typeof title === 'string' ? title : bestText(title, texts)) || record.id
  }
}

/** The kinds of records that fields name by id. */
const kindOfField: Readonly<Record<string, Titled['kind']>> = {
  group_id: 'user_group',
  user_group_id: 'user_group',
  parent_id: 'user_group',
  primary_user_group_id: 'user_group',
  primary_user_group: 'user_group',
  channel_id: 'channel',
  role_id: 'role',
  default_role_id: 'role',
}

/** The group and the role in the name of a field of a plan. */
export function groupRoleIn(field: string): [group: Titled, role: Titled] | undefined {
  const [kind, group, role] = field.split(':')
  return kind === 'user_group_assignment' && group && role
    ? [
        { kind: 'user_group', id: group },
        { kind: 'role', id: role },
      ]
    : undefined
}

/** The record that a value of a field names; undefined for other values. */
export function titledIn(field: string, value: unknown): Titled | undefined {
  const kind = kindOfField[field]
  return kind && typeof value === 'string' && value !== '' ? { kind, id: value } : undefined
}

/** All records that changes of fields name. */
export const titledInChanges = (changes: readonly { field: string; before?: unknown; after?: unknown }[]): Titled[] =>
  changes.flatMap(({ field, before, after }) => [
    ...(groupRoleIn(field) ?? []),
    ...[before, after].flatMap((value) => titledIn(field, value) ?? []),
  ])
