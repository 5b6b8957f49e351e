import type { Context } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineItem } from '../../table/records.ts'
import type { Action } from '../../table/store.ts'
import type { WorkStatus } from '../../table/workKinds.ts'
import { attributeNames, type UserRecord } from './user.ts'

/**
 * A deadline item says that a user is to be purged, how they are counted and which names they have: the record may be gone by then.
 * It comes and goes in the transactions that count the user in and out as pending deletion.
 */
export const deadlineItems = defineItem<
  WorkStatus & { username: string; external_id: string | null; role: UserRecord['role']; attributes?: string[] }
>()
export type DeadlineItem = ReturnType<typeof deadlineItems.of>

/** The action that writes the deadline item of a user. */
export const deadlineItem = (user: UserRecord, deadline: string): Action => ({
  put: deadlineItems.item(keys.deadlineItemKey(deadline, user.id), {
    username: user.username,
    external_id: user.external_id,
    role: user.role,
    ...(user.attributes.length > 0 ? { attributes: attributeNames(user) } : {}),
  }),
})

/**
 * Users whose deadline has passed and who are not yet removed: they still have rows in lists, and are still counted.
 */
export async function overdueUsers(context: Pick<Context, 'store' | 'now'>): Promise<Set<string>> {
  return new Set((await all(context.store, keys.overdueDeadlineItems(context.now))).map(keys.userOfDeadlineItem))
}
