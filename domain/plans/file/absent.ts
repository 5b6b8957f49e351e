import { isPast } from '../../base/text.ts'
import { type UserRecord, users } from '../../people/records/user.ts'
import type { Action } from '../../table/store.ts'
import type { Judge } from '../judge.ts'
import { faultOf, refusalIn } from '../verdict.ts'
import type { FileCheck } from './fileCheck.ts'
import type { Judged } from './judgeRow.ts'
import { keyNameOf } from './rowKey.ts'

// Users who are in no row of a whole file.

export type Missing = {
  check: FileCheck
  /** What is done with them. */
  judge: Judge
  /** Whether a user is among those the file is about. */
  holds: (user: UserRecord) => Promise<{ actions: Action[] } | undefined>
}

type Somebody = Pick<UserRecord, 'id' | 'role' | 'status'> & { protected?: boolean | undefined }

/** Whether somebody can be absent at all: who is protected, or makes the plan, never is. */
export const mayBeAbsent = ({ checking: { context }, request }: FileCheck, user: Somebody): boolean =>
  (user.status === 'ACTIVE' || user.status === 'LOCKED') &&
  !user.protected &&
  user.id !== context.actorId &&
  (request.include_administrators === true || user.role !== 'ADMIN')

/**
 * What becomes of a user whom no row has found. Undefined if a row has their key by now, or if they are not among those asked for.
 * `isInFile`: whether a row has the key of this name. The user is read as of a moment ago: who has just got another key is skipped when
 * the plan is applied.
 */
export async function judgeAbsent(
  { check, judge, holds }: Missing,
  id: string,
  isInFile: (name: string) => Promise<boolean>,
): Promise<Judged | undefined> {
  const { store, now } = check.checking.context
  const user = await users.readEventual(store, id)
  if (!user || isPast(user.deletion_at, now) || !mayBeAbsent(check, user) || !(await holds(user))) return undefined
  const key = keyNameOf(check.request.match_by, user)
  if (key === undefined || (await isInFile(key))) return undefined
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
