import type { Context } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import type { Action } from '../../table/store.ts'
import type { Group } from '../records/group.ts'
import type { UserRecord } from '../records/user.ts'
import { administratorsGained } from '../records/userCounters.ts'
import { writeUserChange } from '../rules/rulesInUserChange.ts'
import { type Embed, viewUser } from './userView.ts'

/** A change of a user: `administrators` is their number before it, and `actions` are what writes it. */
type Written = {
  before: UserRecord | undefined
  after: UserRecord
  actions: readonly Action[]
  administrators: number
  group?: Group | undefined
}

/** Writes a change, if it is one, and answers the user after it. */
export function writeUser(context: Context, embed: Embed, { before, after, actions, group, ...counted }: Written) {
  const administrators = counted.administrators + administratorsGained(before, after)
  const write = after === before ? undefined : writeUserChange(context, actions, after.id)
  return writeAndShow(write, () => viewUser(context, after, embed, { group, administrators }))
}
