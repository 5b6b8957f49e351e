import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { isAt } from '../../table/items.ts'
import { groupAssignmentKey, isAssignment, withAssignments } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { doWorkOfCalls } from '../../work/workOfCalls.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { patchedUser } from '../records/patchedUser.ts'
import { withLanguage } from '../records/preferredLanguage.ts'
import { moveOf } from '../records/primaryGroupMove.ts'
import { withRename } from '../records/renames.ts'
import { checkNewRole } from '../records/roleRules.ts'
import { readUser, requireUser, type UserRecord, users } from '../records/user.ts'
import { userFields } from '../records/userFields.ts'
import { actedOn, checkAction, checkAdministrator, type UserAction } from '../records/userRules.ts'
import { heldIn } from '../rules/roleChanges.ts'
import { oldMembershipOf, rulesForChange } from '../rules/rulesForChange.ts'
import { change, deletionChange } from './change.ts'
import { finishRename } from './finishRename.ts'
import { readReferences } from './references.ts'
import { administratorsFor } from './userView.ts'
import { writeContext } from './writeContext.ts'
import { writeUser } from './writeUser.ts'

/**
 * Applies a merge patch. A new primary group replaces its assignment; a new name moves all assignments in their lists. As
 * `restoring`, it restores a user pending deletion in the same transaction.
 */
export async function updateUser(
  context: Context,
  { path, body, query }: Input<'updateUser'>,
  { action, write, finished }: How = patching,
) {
  const { store, now } = context
  const reading = readUser(store, path.user_id, now)
  const [actor, found, writing, administrators, { group, editions, language, fault }, rows] = await Promise.all([
    context.actor(),
    reading,
    writeContext(context),
    administratorsFor(context, query.embed),
    readReferences(context, body, reading),
    movesAssignments(body) ? all(store, withAssignments(path.user_id)) : [],
  ])
  checkNewRole(actor, body.role)
  // Faults of the input come before a user who does not exist.
  if (fault) throw fault
  const user = requireUser(found)
  // The user as read with the assignments: an assignment that is given later makes this version stale.
  const before = users.of(rows.find(isAt(users.key(user.id)))) ?? user
  const held = rows.filter(isAssignment)
  const target =
    body.primary_user_group_id === undefined ? before.primary_user_group_id : (group?.id ?? writing.allUsers)
  const membership = held.find(isAt(groupAssignmentKey(before.id, target, writing.memberRole)))
  const source = membership && groupAssignments.sourceOf(membership)
  const decide = () => {
    const next = finished(patchedUser(before, withLanguage(body, { language }), { group: target, now }), before, now)
    checkAdministrator(actor, before, next)
    checkAction(action, before, context.actorId)
    return next
  }
  const patched = changeIfMatch(context, before, decide, userFields.own(before))
  const rulesForUser = await rulesForChange(context, {
    before,
    after: patched,
    held: rows.length > 0 ? heldIn(held) : undefined,
  })
  const oldMembership =
    rulesForUser && oldMembershipOf(rulesForUser, { before, after: patched, memberRole: writing.memberRole })
  const { after, move } = moveOf(before, patched, source, rulesForUser && { oldMembership })
  const changed = write(before, after, { ...writing, editions, rulesForUser }, move)
  const { actions, work } = withRename(before, after, held, changed, now)
  const view = await writeUser(context, query.embed, { before, after, actions, administrators, group })
  if (work) await doWorkOfCalls(context, [work], finishRename)
  return { status: 200, body: view, own: userFields.own(after) }
}

type How = {
  action: UserAction
  write: typeof change
  /** The user after the patch and all else that is done. */
  finished: (patched: UserRecord, before: UserRecord, now: string) => UserRecord
}
/** A patch alone. */
export const patching: How = { action: 'update', write: change, finished: (patched) => patched }
/** A patch and a restore are one change. */
export const restoring: How = {
  action: 'restore',
  write: deletionChange,
  finished: (patched, { version }, now) => ({ ...actedOn('restore', patched, now), version: version + 1 }),
}

const movesAssignments = (body: Input<'updateUser'>['body']): boolean =>
  body.first_name !== undefined || body.last_name !== undefined || body.primary_user_group_id !== undefined
