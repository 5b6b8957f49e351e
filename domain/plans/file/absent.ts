import { readUser, type UserRecord } from '../../people/records/user.ts'
import type { Action } from '../../table/store.ts'
import type { Judge } from '../judge.ts'
import { faultOf, refusalIn } from '../verdict.ts'
import type { KeptUser } from './joinRows.ts'
import type { Judged, Judging } from './judgeRow.ts'
import { keyNameOf } from './key.ts'

// Users who are in no row of a whole file.

export type Missing = {
  judging: Judging
  /** What is done with them. */
  judge: Judge
  /** Whether a user is among those the file is about. */
  holds: (user: UserRecord) => Promise<{ actions: Action[] } | undefined>
  /** Whether a row has the key of this name. */
  isInFile: (name: string) => Promise<boolean>
}

type Somebody = Pick<UserRecord, 'id' | 'role' | 'status'> & { protected?: boolean | undefined }

/** Whether somebody can be absent at all: who is protected, or makes the plan, never is. */
const mayBeAbsent = ({ context: { actorId }, options }: Judging, user: Somebody): boolean =>
  (user.status === 'ACTIVE' || user.status === 'LOCKED') &&
  !user.protected &&
  user.id !== actorId &&
  (options.include_administrators === true || user.role !== 'ADMIN')

/** What becomes of a user without a row. Undefined if the user is in the file by now, or not among those asked for. */
export async function judgeAbsent(missing: Missing, { u, m, p }: KeptUser): Promise<Judged | undefined> {
  const { judging, judge } = missing
  const { store, now } = judging.context
  if (!m || !mayBeAbsent(judging, { ...u, protected: p })) return undefined
  const user = await readUser(store, u.id, now)
  const key = user && (await keyOfAbsent(missing, u, user))
  if (!user || key === undefined) return undefined
  const nothing = { row: null, user: user.id, changes: [], faults: [], takes: [], gives: [] }
  try {
    const change = await judge(user)
    return change && { ...nothing, changes: [{ ...change, row: null, key }] }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return { ...nothing, faults: faultOf(null, user.id, refusal) }
  }
}

/** The key of somebody who still is absent; undefined if they are not. A key that was corrected meanwhile may be in the file. */
async function keyOfAbsent(
  { judging, holds, isInFile }: Missing,
  walked: KeptUser['u'],
  user: UserRecord,
): Promise<string | undefined> {
  const { match_by } = judging.options
  const key = keyNameOf(match_by, user)
  if (key === undefined || !mayBeAbsent(judging, user) || !(await holds(user))) return undefined
  const hasMoved = key !== keyNameOf(match_by, walked)
  return hasMoved && (await isInFile(key)) ? undefined : key
}
