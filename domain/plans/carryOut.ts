import { AppError, isStoreDown, refuse, StaleRead } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import { requireAdministrator } from '../people/access/actorNow.ts'
import { readUser, type UserRecord, users } from '../people/records/user.ts'
import type { Context } from '../request/context.ts'
import { keyOf, succeeded } from '../table/actions.ts'
import { requireUnchanged } from '../table/changes.ts'
import { isAt, textOfKey } from '../table/items.ts'
import { itemOfName } from '../table/keys.ts'
import type { Action, Store } from '../table/store.ts'
import type { Work } from '../work/steps.ts'
import {
  attempted,
  type ChangeOutcome,
  changesOfUser,
  decided,
  isAsBefore,
  readChange,
  type StoredChange,
} from './change.ts'
import { CircleTooLarge, circleActions } from './circle.ts'
import { ownerIn } from './file/joinRows.ts'
import type { Plan, Problem } from './plan.ts'
import { runChange, runCreation } from './runChange.ts'
import { changedSince, refusalIn } from './verdict.ts'
import type { WorkerContexts } from './workerContext.ts'

// Carries out one change: by the operation of the single call, with the caller's rights of this moment. The outcome is written in
// the transaction that changes the user, so it is done exactly once.

/** What carrying out needs: `holds` says whether a user still is who the plan's selection, or the row of its file, is about. */
export type Applying = {
  work: Work
  plan: Plan
  contexts: WorkerContexts
  holds: Holds
}
export type Holds = (user: UserRecord, change: StoredChange) => Promise<{ actions: Action[] } | undefined>

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
    return await decideAgain(() => carryOutOnce(applying, change))
  } catch (error) {
    // The change of a user who was removed for good is gone with them.
    if (error instanceof Decided) return (await readChange(work.store, plan.id, change))?.outcome ?? 'SKIPPED'
    const refusal = refusalIn(error)
    if (refusal) return end(applying, change, 'FAILED', refusal)
    if (isStoreDown(error) || error instanceof RightLost) throw error
    return tryAgain(applying, change, error)
  }
}

async function carryOutOnce(applying: Applying, change: StoredChange): Promise<ChangeOutcome> {
  if (!(await isItsTurn(applying, change))) return end(applying, change, 'SKIPPED', notDoneBefore)
  if (change.action === 'CREATE') return create(applying, change)
  return change.together ? changeTogether(applying, change, change.together) : changeOne(applying, change)
}

/** What is said of a change that had to wait for another one. */
export const notDoneBefore: Problem = {
  code: 'CHANGED_SINCE',
  detail: 'A change that had to be made before this one was not made',
}

/** Whether the changes are made that must be made before this one. */
async function isItsTurn({ work, plan }: Applying, { number, after = [] }: StoredChange): Promise<boolean> {
  const found = await Promise.all(after.map((user) => changesOfUser(work.store, plan.id, user)))
  return found.every((some) => {
    const earlier = some.filter((one) => one.number < number)
    return earlier.length > 0 && earlier.every(({ outcome }) => outcome === 'DONE')
  })
}

async function changeOne(applying: Applying, change: StoredChange): Promise<ChangeOutcome> {
  const { work, plan, holds } = applying
  const { store } = work
  const [user, actor] = await Promise.all([readUser(store, change.user, work.clock().toISOString()), actorOf(applying)])
  const held = user && (await isAsBefore(store, user, change.fields)) ? await holds(user, change) : undefined
  if (!user || !held) return end(applying, change, 'SKIPPED', changedSince)
  const joined = joining(store, user, [
    doneWith(plan, change),
    ...held.actions.map((action) => ({ ...action, otherwise: otherUser })),
  ])
  await runChange(contextOf(applying, joined.store, actor), user, change, plan).catch((error: unknown) => {
    throw isOtherUser(error) ? new StaleRead() : error
  })
  // The operation has found nothing to do: somebody else was faster.
  if (!joined.isWritten()) throw new StaleRead()
  return 'DONE'
}

const isOtherUser = (error: unknown): boolean =>
  error instanceof OtherUser || (error instanceof AppError && error.code === 'PRECONDITION_FAILED')

const doneWith = (plan: Plan, change: StoredChange): Action => ({
  ...decided(plan.id, change, 'DONE'),
  otherwise: () => new Decided(),
})

const contextOf = ({ plan, contexts }: Applying, store: Store, actor: Awaited<ReturnType<typeof actorOf>>): Context =>
  contexts(store, { actorId: plan.applied_by ?? '', actor, requestId: plan.apply_request ?? '' })

/** Creates the user of a row, unless somebody has its key by now. */
async function create(applying: Applying, change: StoredChange): Promise<ChangeOutcome> {
  const { work, plan } = applying
  const { store } = work
  const now = work.clock().toISOString()
  const [holder, user, actor] = await Promise.all([
    holderOfKey(store, change, now),
    readUser(store, change.user, now),
    actorOf(applying),
  ])
  if (holder || user) return end(applying, change, 'SKIPPED', changedSince)
  const joined = joining(store, undefined, [doneWith(plan, change)])
  await runCreation(contextOf(applying, joined.store, actor), change)
  if (!joined.isWritten()) throw new StaleRead()
  return 'DONE'
}

/** Who has the key of the row that creates a user by now. */
const holderOfKey = async (store: Store, { key }: StoredChange, now: string) =>
  key === undefined ? undefined : ownerIn(await store.get(itemOfName(key)), now)

/** Changes several users whose names go round in a circle, in one transaction. */
async function changeTogether(
  applying: Applying,
  change: StoredChange,
  together: readonly string[],
): Promise<ChangeOutcome> {
  const { work, plan, holds } = applying
  const { store } = work
  const now = work.clock().toISOString()
  const members = await Promise.all(
    together.map(async (id) => {
      const [user, all] = await Promise.all([readUser(store, id, now), changesOfUser(store, plan.id, id)])
      return { user, change: all.find((one) => one.together) }
    }),
  )
  const own = members.find((one) => one.change?.number === change.number)?.change
  if (own && own.outcome !== 'PLANNED') return own.outcome
  const ready = await Promise.all(
    members.map(async (one) => {
      if (!one.user || one.change?.outcome !== 'PLANNED') return undefined
      const held = (await isAsBefore(store, one.user, one.change.fields)) && (await holds(one.user, one.change))
      return held ? { user: one.user, change: one.change } : undefined
    }),
  )
  const all = ready.filter((one) => one !== undefined)
  if (all.length < together.length) return end(applying, change, 'SKIPPED', changedSince)
  const context = contextOf(applying, store, await actorOf(applying))
  const actions = await circleActions(context, all, plan).catch((error: unknown) => {
    if (error instanceof CircleTooLarge) throw refuse('NAME_CIRCLE')
    throw isOtherUser(error) ? new StaleRead() : error
  })
  await store.write([...actions, ...all.map((one) => doneWith(plan, one.change))])
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
  if (await succeeded(work.store.write([decided(plan.id, change, outcome, problem)]))) return outcome
  return (await readChange(work.store, plan.id, change))?.outcome ?? outcome
}

async function tryAgain(applying: Applying, change: StoredChange, error: unknown): Promise<ChangeOutcome> {
  const { work, plan } = applying
  const { attempts = 0 } = change
  if (attempts + 1 >= MOST_ATTEMPTS) {
    const detail = 'The service failed at this change several times'
    return end(applying, change, 'FAILED', { code: 'INTERNAL_ERROR', detail })
  }
  await succeeded(work.store.write([attempted(plan.id, change)]))
  throw error
}

/**
 * A store that adds actions to the write of an operation, and needs the user, if there is one, to be as they were judged. The operation reads the
 * user who was judged; if it reads again, as somebody else was faster, it gets the present one, and the tag of the user decides.
 */
function joining(store: Store, user: UserRecord | undefined, more: readonly Action[]) {
  const isUser = isAt(users.key(user?.id ?? ''))
  let isWritten = false
  const write: Store['write'] = async (actions, purpose) => {
    if (purpose !== undefined) return store.write(actions, purpose)
    const written = new Set(actions.map((action) => textOfKey(keyOf(action))))
    const needed =
      !user || actions.some((action) => isUser(keyOf(action)))
        ? []
        : [{ ...requireUnchanged(users, user), otherwise: otherUser }]
    const added = [...more, ...needed].filter((action) => !written.has(textOfKey(keyOf(action))))
    await store.write([...actions, ...added])
    isWritten = true
  }
  return { store: { ...store, write }, isWritten: () => isWritten }
}
