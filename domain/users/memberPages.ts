import { compareBytes } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import type { ListReader } from '../table/listReader.ts'
import { listRanges, merged } from '../table/merge.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import {
  compareMembers,
  type Member,
  type MemberSorting,
  memberIndex,
  type Named,
  namesOfUser,
  usersById,
} from './members.ts'

type Listing = {
  reader: ListReader
  lists: readonly string[]
  sorts: readonly MemberSorting[]
  /** Whether a row stands for anybody at all. */
  keep: (row: Item) => boolean
  /** Whom some rows stand for; asked for all rows in their order, so that it can leave out who was there before. */
  membersOf: (rows: readonly Item[]) => Member[]
}

/**
 * One page of people with roles, out of several lists that are merged only as far as it needs. Rows go in runs: those of
 * one person, or, where further sorts order them, those of all people with one leading name.
 */
export async function memberPage(
  context: Context,
  { reader, lists, sorts, keep, membersOf }: Listing,
  { skip, take }: { skip: number; take: number },
): Promise<Member[]> {
  const [first] = sorts as [MemberSorting]
  const index = memberIndex[first.field]
  const ranges = lists.flatMap((list) => listRanges(list, index, first.descending))
  const rows = merged(reader, ranges, keep)
  const runOf = (row: Item): string => (sorts.length > 1 ? places.leadOf(String(row[index])) : String(row[index]))
  const page: Member[] = []
  let passed = 0
  let [row] = await rows.take(1, skip + take + 1)
  while (row && page.length < take) {
    const name = runOf(row)
    const run: Item[] = []
    while (row && runOf(row) === name) {
      run.push(row)
      ;[row] = await rows.take(1, take + 1)
    }
    const members = membersOf(run)
    const from = Math.max(0, skip - passed)
    // Runs before the page are only counted.
    if (from < members.length) page.push(...(await inOrder(context, members, sorts)).slice(from))
    passed += members.length
  }
  return page.slice(0, take)
}

async function inOrder(context: Context, run: Member[], sorts: readonly MemberSorting[]): Promise<Member[]> {
  if (sorts.length === 1) return run.sort((a, b) => (sorts[0]?.descending ? -1 : 1) * compareBytes(a.roleId, b.roleId))
  const users = await usersById(
    context,
    run.map(({ userId }) => userId),
  )
  return run
    .map((member): Named => ({ ...member, names: namesFrom(users.get(member.userId)) }))
    .sort(compareMembers(sorts))
}

const namesFrom = (user: Parameters<typeof namesOfUser>[0] | undefined): Named['names'] =>
  user ? namesOfUser(user) : { last_name: '', first_name: '' }
