import type { Context } from '../request/context.ts'
import type { Window } from '../request/paging.ts'
import { userOfRow } from '../table/keys.ts'
import { isCheaperWhole, type ListReader } from '../table/lists.ts'
import type { Item } from '../table/store.ts'
import { type Absent, type Member, type MemberSorting, memberPage, type Names, sortMembers } from '../users/people.ts'
import type { Stream } from './streams.ts'

/** Whose roles on a channel are asked for, and the lists that tell: `derived` is empty where nobody asks for it. */
export type Scope = {
  reader: ListReader
  direct: readonly Stream[]
  derived: readonly Stream[]
  sources: ReadonlySet<Stream['source']>
  absent: Absent
  sorts: readonly MemberSorting[]
}

/** One user with one role: he is listed once, however many groups confer it. */
const nameOf = (userId: string, roleId: string): string => `${userId} ${roleId}`

/** How many users hold how many roles, each role of each user once. */
export async function countHolders({ reader, direct, derived, sources, absent }: Scope): Promise<number> {
  const roles = new Set((sources.has('MANUAL') ? [...direct, ...derived] : derived).flatMap((one) => one.roles))
  const ofRole = async (role: string): Promise<number> => {
    const own = direct.filter((one) => one.roles.includes(role))
    const conferring = derived.filter((one) => one.roles.includes(role))
    const [all, manual] = await Promise.all([
      unionSize(reader, [...own, ...conferring], absent),
      // What is held directly, too, is not held through a group.
      sources.has('MANUAL') ? 0 : unionSize(reader, own, absent),
    ])
    return all - manual
  }
  return (await Promise.all([...roles].map(ofRole))).reduce((sum, count) => sum + count, 0)
}

/**
 * How many people are in one list or another. The largest is only counted, and asked for those of the others, unless
 * they are so many that it is cheaper to read it, too. Whole lists are begun at once, for others to find them begun.
 */
async function unionSize(reader: ListReader, streams: readonly Stream[], absent: Absent): Promise<number> {
  const [largest, ...others] = streams.toSorted((a, b) => b.size - a.size)
  if (!largest) return 0
  const people = async (some: readonly Stream[]): Promise<Set<string>> => {
    const rows = (await Promise.all(some.map(reader.whole))).flat()
    return new Set(rows.map(userOfRow).filter((id) => !absent.all.has(id)))
  }
  const rest = others.reduce((sum, { size }) => sum + size, 0)
  if (rest > 0 && isCheaperWhole(largest, rest)) return (await people(streams)).size
  const [ids, gone] = await Promise.all([people(others), reader.among(largest, absent.overdue)])
  return largest.size - gone.size + ids.size - (await reader.among(largest, ids)).size
}

/** One page of them in order, out of the lists as far as they are needed. */
export async function holdersPage(context: Context, scope: Scope, window: Window): Promise<Member[]> {
  const { reader, direct, derived, sources, absent, sorts } = scope
  const streams = sources.has('MANUAL') ? [...direct, ...derived] : derived
  const streamOf = new Map(streams.map((one) => [one.list, one]))
  const seen = sources.has('MANUAL') ? new Set<string>() : await heldDirectly(reader, direct)
  const holdings = (row: Item): Member[] => {
    const { roles = [], source = '' } = streamOf.get(String(row.list)) ?? {}
    return roles.map((roleId) => ({ userId: userOfRow(row), roleId, source }))
  }
  const membersOf = (rows: readonly Item[]): Member[] => {
    const found = new Map<string, Member>()
    for (const one of rows.flatMap(holdings)) {
      const name = nameOf(one.userId, one.roleId)
      if (!seen.has(name) && (one.source === 'MANUAL' || !found.has(name))) found.set(name, one)
    }
    for (const name of found.keys()) seen.add(name)
    return [...found.values()]
  }
  const keep = (row: Item): boolean => !absent.all.has(userOfRow(row))
  return memberPage(context, { reader, lists: [...streamOf.keys()], sorts, keep, membersOf }, window)
}

async function heldDirectly(reader: ListReader, direct: readonly Stream[]): Promise<Set<string>> {
  const read = direct.map(async (one) =>
    (await reader.whole(one)).map((row) => nameOf(userOfRow(row), one.roles[0] ?? '')),
  )
  return new Set((await Promise.all(read)).flat())
}

/** With a search term the people who match are known: of them, those who hold a role. */
export async function foundHolders(
  { reader, direct, derived, sources, absent, sorts }: Scope,
  people: ReadonlyMap<string, Names>,
  { skip, take }: Window,
): Promise<{ members: Member[]; total: number }> {
  const ids = new Set([...people.keys()].filter((id) => !absent.all.has(id)))
  const found = new Map<string, Member & { names: Names }>()
  // What is held directly comes last, and so takes the place of the same through a group.
  const looked = [...derived, ...direct].map(async (one) => ({ ...one, held: await reader.among(one, ids) }))
  for (const { roles, source, held } of await Promise.all(looked))
    for (const userId of held.keys())
      for (const roleId of roles) {
        const names = people.get(userId) as Names
        found.set(nameOf(userId, roleId), { userId, roleId, source, names })
      }
  const members = sortMembers(
    [...found.values()].filter(({ source }) => sources.has(source as Stream['source'])),
    sorts,
  )
  return { members: members.slice(skip, skip + take), total: members.length }
}

/**
 * The same members, each with where he has his role from. While a rename is under way, somebody can stand in a group's
 * list far from where he stands in that of the direct holders.
 */
export async function withSources(
  { reader, direct, derived, sources }: Scope,
  members: readonly Member[],
): Promise<Member[]> {
  if (derived.length === 0 || sources.size === 1) return [...members]
  const through = members.filter(({ source }) => source === 'USER_GROUP')
  const held = direct.map(async (one) => {
    const ids = through.filter(({ roleId }) => one.roles.includes(roleId)).map(({ userId }) => userId)
    const found = await reader.among(one, new Set(ids))
    return [...found.keys()].map((userId) => nameOf(userId, one.roles[0] ?? ''))
  })
  const manual = new Set((await Promise.all(held)).flat())
  return members.map((one) => (manual.has(nameOf(one.userId, one.roleId)) ? { ...one, source: 'MANUAL' } : one))
}
