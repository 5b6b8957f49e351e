// What comboboxes offer: groups, roles, people. Each finds what matches a text.
import { api, type Schemas } from './api.ts'

/** One of the things that can be chosen. `note` helps to tell namesakes apart. */
export type Option = { value: string; text: string; note?: string | undefined }

const folded = (text: string) => text.normalize('NFC').trim().toLowerCase()

/** The one that a typed text names exactly, whatever its case; undefined if there is no such one, or more than one. */
export function meant(options: readonly Option[], text: string): Option | undefined {
  const [first, ...others] = options.filter((option) => folded(option.text) === folded(text))
  return others.length === 0 ? first : undefined
}

const searchTerm = (text: string) => (text.trim() ? { search_term: text } : {})

/** Groups that are not archived. */
export async function findGroups(text: string, signal: AbortSignal): Promise<Option[]> {
  const query = { ...searchTerm(text), status: ['ACTIVE' as const], page_limit: 20 }
  const { data } = await api.GET('/api/admin/users/v4/user-groups', { signal, params: { query } })
  return data.groups.map(({ id, title }) => ({ value: id, text: title?.text ?? id }))
}

/** Active people, for administrators. */
export const findUsers = (text: string, signal: AbortSignal): Promise<Option[]> => usersOf(text, ['ACTIVE'], signal)

/** The most tokens that there are. */
const mostTokens = 100

/** Who may have changed something: people, those who have left included, and service tokens. */
export async function findActors(
  text: string,
  tokenText: (name: string) => string,
  signal: AbortSignal,
): Promise<Option[]> {
  const [users, { data }] = await Promise.all([
    usersOf(text, [], signal),
    api.GET('/api/admin/organisations/v4/service-tokens', { signal, params: { query: { page_limit: mostTokens } } }),
  ])
  const tokens = data.service_tokens.map(({ id, name }) => ({ value: id, text: tokenText(name) }))
  return [...users, ...tokens.filter((token) => folded(token.text).includes(folded(text)))]
}

/** Finds people who are in one of these states. Without states it finds all. */
async function usersOf(text: string, status: Schemas['User']['status'][], signal: AbortSignal): Promise<Option[]> {
  const query = { ...searchTerm(text), status, page_limit: 20 }
  const { data } = await api.GET('/api/admin/users/v4/users', { signal, params: { query } })
  return data.users.map((user) => ({
    value: user.id,
    text: `${user.first_name} ${user.last_name}`,
    note: user.username,
  }))
}

/** Active people, as everybody may find them. */
export async function findColleagues(text: string, signal: AbortSignal): Promise<Option[]> {
  const query = { ...searchTerm(text), page_limit: 20 }
  const { data } = await api.GET('/api/users/v4/users', { signal, params: { query } })
  return data.users.map((person) => ({
    value: person.id,
    text: `${person.first_name} ${person.last_name}`,
    note: person.department ?? undefined,
  }))
}

/** A role that may be given. `isMember`: the one that makes somebody a member, and nothing more. */
export type RoleOption = Option & { isMember: boolean }

/** The role that is meant unless another one is chosen: that of a member. The first of the alphabet may be one with more rights. */
export const usualRole = (roles: readonly RoleOption[]): string => roles.find(({ isMember }) => isMember)?.value ?? ''

type Assignable = Schemas['AssignableRoles']['assignable_roles'][number]

const roleOption = ({ role_id, role }: Assignable): RoleOption => ({
  value: role_id,
  text: role?.title?.text ?? role_id,
  isMember: role?.predefined_role_type?.endsWith('_MEMBER') ?? false,
})

/** The roles that may be given in a group. */
export async function rolesOfGroup(groupId: string, signal: AbortSignal): Promise<RoleOption[]> {
  const params = { path: { group_id: groupId }, query: { embed: ['ROLE' as const], page_limit: 100 } }
  const { data } = await api.GET('/api/admin/users/v4/user-groups/{group_id}/assignable-roles', { signal, params })
  return data.assignable_roles.map(roleOption)
}

/** The roles that may be given on a channel. */
export async function rolesOfChannel(channelId: string, signal: AbortSignal): Promise<RoleOption[]> {
  const params = { path: { channel_id: channelId }, query: { embed: ['ROLE' as const], page_limit: 100 } }
  const { data } = await api.GET('/api/admin/channels/v4/channels/{channel_id}/assignable-roles', { signal, params })
  return data.assignable_roles.map(roleOption)
}
