import { useEffect } from 'preact/hooks'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'
import { api, type Schemas } from './api.ts'
import { useStore } from './useStore.ts'

/** A record that has a title. */
export type Titled = { kind: 'user_group' | 'channel' | 'role'; id: string }
type Title = readonly Schemas['Localized'][]

/** What has been read, for as long as the page is open: each record once. Without a title: it is being read, or cannot be. */
const known = new Map<string, Title>()
let answers = 0
const listeners = new Set<() => void>()
const keyOf = ({ kind, id }: Titled) => `${kind} ${id}`
const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

async function readTitle({ kind, id }: Titled): Promise<Title> {
  if (kind === 'user_group') {
    const params = { path: { group_id: id } }
    return (await api.GET('/api/admin/users/v4/user-groups/{group_id}', { params })).data.title
  }
  if (kind === 'channel') {
    const params = { path: { channel_id: id } }
    return (await api.GET('/api/admin/channels/v4/channels/{channel_id}', { params })).data.title
  }
  return (await api.GET('/api/admin/users/v4/roles/{role_id}', { params: { path: { role_id: id } } })).data.title
}

/** The titles of groups, channels and roles. Those that are gone are called by their ids. */
export function useTitles(records: readonly Titled[]): (record: Titled) => string {
  const texts = useTexts()
  useStore(subscribe, () => answers)
  const key = records.map(keyOf).join()
  useEffect(() => {
    for (const record of records) {
      if (known.has(keyOf(record))) continue
      known.set(keyOf(record), [])
      readTitle(record).then(
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
  return (record) => bestText(known.get(keyOf(record)) ?? [], texts) || record.id
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
