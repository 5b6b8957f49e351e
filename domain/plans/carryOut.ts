import { AppError, isStoreDown, refuse, StaleRead } from '../base/errors.ts'
import { decideAgain } from '../base/flow.ts'
import { requireAdministrator } from '../people/access/actorNow.ts'
import { createGroupAssignment } from '../people/groups/createGroupAssignment.ts'
import { deleteGroupAssignment } from '../people/groups/deleteGroupAssignment.ts'
import { giveMembership } from '../people/groups/membership.ts'
import { groups } from '../people/records/group.ts'
import { checkRole, groupAssignments } from '../people/records/groupAssignment.ts'
import { roles } from '../people/records/role.ts'
import { readUser, type UserRecord, users } from '../people/records/user.ts'
import { userFields } from '../people/records/userFields.ts'
import type { UserAction } from '../people/records/userRules.ts'
import { updateUser } from '../people/users/updateUser.ts'
import { lifeCycle } from '../people/users/userLifeCycle.ts'
import type { Context, Input } from '../request/context.ts'
import { recordTag } from '../request/tags.ts'
import { type Action, happened, isAt, keyOf, nameOf, type Store } from '../table/store.ts'
import type { Work } from '../table/work.ts'
import {
  attempted,
  type ChangeOutcome,
  decided,
  type GroupRole,
  groupRoleOf,
  isAsBefore,
  patchOf,
  readChange,
  type StoredChange,
} from './change.ts'
import { requireFeature } from './judge.ts'
import type { Plan, Problem } from './plan.ts'
import { changedSince, refusalIn } from './verdict.ts'
import type { WorkerContexts } from './workerContext.ts'

// Carries out one change: by the operation of the single call, with the caller's rights of this moment. The outcome is written in
// the transaction that changes the user, so it is done exactly once.

/** What carrying out needs: `holds` says whether a user still is who the plan's selection is about. */
export type Applying = {
  work: Work
  plan: Plan
  contexts: WorkerContexts
  holds: (user: UserRecord) => Promise<{ actions: Action[] } | undefined>
}

/** The caller who applies the plan may not do so any more: the plan ends. */
export class RightLost extends Error {
  override name = 'RightLost'
  readonly fault: Problem
  constructor(fault: Problem) {
    super(fault.code)
    this.fault = fault
  }
}

/** Another process has decided the change, or its plan has ended. The operation must not try again. */
class Decided extends Error {
  override name = 'Decided'
}

/** The user is not as they were judged any more. The operation must not try again before they are judged again. */
class OtherUser extends Error {
  override name = 'OtherUser'
}
const otherUser = (): Error => new OtherUser()

/** After so many attempts that failed for other reasons than a refusal, a change is FAILED. */
const MOST_ATTEMPTS = 10

/** Carries out a change, unless its outcome is known already. Returns the outcome; PLANNED if it is to be tried again. */
export async function carryOut(applying: Applying, change: StoredChange): Promise<ChangeOutcome> {
  const { work, plan } = applying
  if (change.outcome !== 'PLANNED') return change.outcome
  try {
    return await decideAgain(() => attempt(applying, change))
  } catch (error) {
    // The change of a user who was removed for good is gone with them.
    if (error instanceof Decided) return (await readChange(work.store, plan.id, change))?.outcome ?? 'SKIPPED'
    const refusal = refusalIn(error)
    if (refusal) return end(applying, change, 'FAILED', refusal)
    if (isStoreDown(error) || error instanceof RightLost) throw error
    return tryAgain(applying, change, error)
  }
}

async function attempt(applying: Applying, change: StoredChange): Promise<ChangeOutcome> {
  const { work, plan, contexts, holds } = applying
  const { store } = work
  const [user, actor] = await Promise.all([readUser(store, change.user, work.clock().toISOString()), actorOf(applying)])
  const held = user && (await isAsBefore(store, user, change.fields)) ? await holds(user) : undefined
  if (!user || !held) return end(applying, change, 'SKIPPED', changedSince)
  const done = { ...decided(plan.id, change, 'DONE'), otherwise: () => new Decided() }
  const joined = joining(store, user, [done, ...held.actions.map((action) => ({ ...action, otherwise: otherUser }))])
  const context = contexts(joined.store, {
    actorId: plan.applied_by ?? '',
    actor,
    requestId: plan.apply_request ?? '',
  })
  await run(context, user, change, plan).catch((error: unknown) => {
    const isOther = error instanceof OtherUser || (error instanceof AppError && error.code === 'PRECONDITION_FAILED')
    throw isOther ? new StaleRead() : error
  })
  // The operation has found nothing to do: somebody else was faster.
  if (!joined.isWritten()) throw new StaleRead()
  return 'DONE'
}

const actorOf = ({ work, plan }: Applying) =>
  requireAdministrator(work.store, plan.applied_by ?? '', work.clock().toISOString(), plan.scopes).catch(
    (error: unknown) => {
      const fault = refusalIn(error)
      throw fault ? new RightLost(fault) : error
    },
  )

/** Writes an outcome that changes no user. */
async function end(
  { work, plan }: Applying,
  change: StoredChange,
  outcome: ChangeOutcome,
  problem: Problem,
): Promise<ChangeOutcome> {
  if (await happened(work.store.write([decided(plan.id, change, outcome, problem)]))) return outcome
  return (await readChange(work.store, plan.id, change))?.outcome ?? outcome
}

async function tryAgain(applying: Applying, change: StoredChange, error: unknown): Promise<ChangeOutcome> {
  const { work, plan } = applying
  const { attempts = 0 } = change
  if (attempts + 1 >= MOST_ATTEMPTS) {
    const detail = 'The service failed at this change several times'
    return end(applying, change, 'FAILED', { code: 'INTERNAL_ERROR', detail })
  }
  await happened(work.store.write([attempted(plan.id, change)]))
  throw error
}

/**
 * A store that adds actions to the write of an operation, and needs the user to be as they were judged. The operation reads the
 * user who was judged; if it reads again, as somebody else was faster, it gets the present one, and the tag of the user decides.
 */
function joining(store: Store, user: UserRecord, more: readonly Action[]) {
  const isUser = isAt(users.key(user.id))
  let isWritten = false
  const write: Store['write'] = async (actions, share) => {
    if (share !== undefined) return store.write(actions, share)
    const written = new Set(actions.map((action) => nameOf(keyOf(action))))
    const needed = actions.some((action) => isUser(keyOf(action)))
      ? []
      : [{ ...users.requireUnchanged(user), otherwise: otherUser }]
    const added = [...more, ...needed].filter((action) => !written.has(nameOf(keyOf(action))))
    await store.write([...actions, ...added])
    isWritten = true
  }
  return { store: { ...store, write }, isWritten: () => isWritten }
}

/** Runs the operation of a change. */
async function run(context: Context, user: UserRecord, change: StoredChange, plan: Plan): Promise<void> {
  const groupRole = groupRoleOf(change.fields)
  if (groupRole) return runAssignment(context, user, { change, groupRole, isUndo: plan.kind === 'UNDO' })
  const own = { ...context, ifMatch: [recordTag(userFields.own(user))] }
  const path = { user_id: user.id }
  if (change.action === 'UPDATE')
    await updateUser(own, { path, query: {}, body: patchOf(change.fields) as Input<'updateUser'>['body'] })
  else {
    await requireFeature(context, change.action)
    const act = change.action.toLowerCase() as Exclude<UserAction, 'update'>
    await lifeCycle(act, deadlineOf(change, context.now))(own, { path, query: {} })
  }
}

/** The deadline that a deletion brings back, if it is still ahead. */
function deadlineOf({ fields }: StoredChange, now: string): string | undefined {
  const deadline = fields.find(({ field }) => field === 'deletion_at')?.after
  return typeof deadline === 'string' && deadline > now ? deadline : undefined
}

type Assigning = { change: StoredChange; groupRole: GroupRole; isUndo: boolean }

async function runAssignment(
  context: Context,
  user: UserRecord,
  { change, groupRole, isUndo }: Assigning,
): Promise<void> {
  const { user_group_id: group_id, role_id } = groupRole
  if (change.action === 'UNASSIGN')
    await deleteGroupAssignment(context, { path: { group_id, user_id: user.id, role_id }, query: {}, body: {} })
  else if (isUndo) await giveBack(context, user, groupRole)
  else await createGroupAssignment(context, { path: { group_id }, query: {}, body: { user_id: user.id, role_id } })
}

/** Gives back a role that a plan has taken: also to a user who is not active, and beside a rule that gives it by now. */
async function giveBack(context: Context, user: UserRecord, { user_group_id, role_id }: GroupRole): Promise<void> {
  const { store, shard } = context
  const id = { group_id: user_group_id, user_id: user.id, role_id }
  const [group, role, found, actor, { predefined }] = await Promise.all([
    groups.read(store, user_group_id),
    roles.read(store, role_id),
    groupAssignments.read(store, id),
    context.actor(),
    context.organisation(),
  ])
  if (!group) throw refuse('USER_GROUP_NOT_FOUND')
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED')
  checkRole(role, actor)
  await store.write(giveMembership({ id, user, found, counting: { predefined, shard }, rules: undefined }))
}
