import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { type AppError, refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { writeAndShow } from '../request/writeAndShow.ts'
import { adminRole, mayAssign } from '../roles/roleRules.ts'
import { isAssignment, tombstoneKey, userKey, withAssignments } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { all, type Item } from '../table/store.ts'
import { moveOf } from './primaryGroup.ts'
import { finishRename, spread } from './renames.ts'
import { administratorsGained, isGone, readUser, type UserRecord, userOf } from './userRecord.ts'
import { readNamed } from './userReferences.ts'
import { actedOn, checkAction, isSameCreation, patched, type UserAction, userFrom } from './userRules.ts'
import { administratorsSoon, type Embed, type UserView, viewUser } from './userView.ts'
import { change, creation, type Surroundings, windowChange } from './userWrites.ts'

type UserAnswer = Promise<Answer<UserView>>
type Around = Surroundings & { allUsers: string; administrators: number }

/** The id is taken by the very user that was asked for: the request came twice. */
class SameUser extends Error {
  readonly user: UserRecord
  constructor(user: UserRecord) {
    super('The same user exists already')
    this.user = user
  }
}

/** Creates a user, or answers the one that the same request has created before (200 instead of 201). */
export function createUser(context: Context, { body, query }: Input<typeof contracts.createUser>): UserAnswer {
  const id = body.id ?? context.newId()
  return retrying(async () => {
    const [around, { group, editions, fault }] = await Promise.all([
      surroundings(context, query.embed),
      readNamed(context, body),
      mayBecome(context, body.role),
    ])
    if (fault) throw fault
    const user = userFrom(body, { id, now: context.now, group: group?.id ?? around.allUsers })
    const whenIdTaken = (found: Item | undefined): Error => {
      const existing = found && userOf(found)
      return existing && !isGone(existing, context.now) && isSameCreation(user, existing)
        ? new SameUser(existing)
        : refuse('USER_ID_ALREADY_EXISTS', 'id')
    }
    try {
      const administrators = around.administrators + administratorsGained(undefined, user)
      const write = context.store.write(creation(user, { ...around, editions }, whenIdTaken))
      const view = await writeAndShow(write, () => viewUser(context, user, query.embed, { group, administrators }))
      return { status: 201, body: view }
    } catch (error) {
      if (!(error instanceof SameUser)) throw error
      return { status: 200, body: await viewUser(context, error.user, query.embed, { group }) }
    }
  })
}

/** Reads one user. */
export async function getUser(context: Context, { path, query }: Input<typeof contracts.getUser>): UserAnswer {
  const user = await existing(context, path.user_id)
  return { status: 200, body: await viewUser(context, user, query.embed) }
}

/** Applies a merge patch; a moved primary group takes its assignment along, a new name all assignments. */
export function updateUser(context: Context, { path, body, query }: Input<typeof contracts.updateUser>): UserAnswer {
  return retrying(async () => {
    const [found, around, { group, editions, fault }, rows] = await Promise.all([
      readUser(context.store, path.user_id, context.now),
      surroundings(context, query.embed),
      readNamed(context, body),
      touchesAssignments(body) ? all(context.store, withAssignments(path.user_id)) : [],
      mayBecome(context, body.role),
    ])
    const user = there(found && asHeld(found, rows), fault)
    checkAction('update', user, context.actorId)
    const held = rows.filter(isAssignment)
    const target =
      body.primary_user_group_id === undefined ? user.primary_user_group_id : (group?.id ?? around.allUsers)
    const { after, move } = moveOf(user, patched(user, body, target, context.now), around.memberRole, held)
    const { actions, left } = spread(user, after, held, {
      actions: change(user, after, { ...around, editions }, move),
      now: context.now,
    })
    const administrators = around.administrators + administratorsGained(user, after)
    const write = after === user ? undefined : context.store.write(actions)
    const view = await writeAndShow(write, () => viewUser(context, after, query.embed, { group, administrators }))
    // The rename has happened: what fails here is no failure of it, and the schedule finds it by its entry.
    if (left) await finishRename(context, left).catch(() => undefined)
    return { status: 200, body: view }
  })
}

/** The user as he was when his assignments were read, if they were: what he has been given since then makes him stale. */
function asHeld(found: UserRecord, rows: readonly Item[]): UserRecord {
  const item = rows.find(({ sk }) => sk === userKey(found.id).sk)
  return item ? userOf(item) : found
}

const touchesAssignments = (body: Input<typeof contracts.updateUser>['body']): boolean =>
  body.first_name !== undefined || body.last_name !== undefined || body.primary_user_group_id !== undefined

/** Keeps a user from working until he is unlocked. */
export const lockUser = lifeCycle('lock')
/** Lets a locked user work again. */
export const unlockUser = lifeCycle('unlock')
/** Takes a user out of service. */
export const deactivateUser = lifeCycle('deactivate')
/** Takes a deactivated user into service again, whether or not anybody could be deactivated now. */
export const reactivateUser = lifeCycle('reactivate')
/** Marks a user for deletion in 14 days; asked again, the first deadline stays. */
export const deleteUser = lifeCycle('delete')
/** Brings a user pending deletion back to the status he had. */
export const restoreUser = lifeCycle('restore')

function lifeCycle(action: Exclude<UserAction, 'update'>) {
  return (context: Context, { path, query }: Input<typeof contracts.lockUser>): UserAnswer =>
    retrying(async () => {
      const [user, around] = await Promise.all([
        action === 'restore' ? restorable(context, path.user_id) : existing(context, path.user_id),
        surroundings(context, query.embed),
      ])
      checkAction(action, user, context.actorId)
      const after = actedOn(action, user, context.now)
      const actions =
        after.deletion_at === user.deletion_at ? change(user, after, around) : windowChange(user, after, around)
      const administrators = around.administrators + administratorsGained(user, after)
      const view = await writeAndShow(after === user ? undefined : context.store.write(actions), () =>
        viewUser(context, after, query.embed, { administrators }),
      )
      return { status: 200, body: view }
    })
}

const existing = async (context: Context, id: string): Promise<UserRecord> =>
  there(await readUser(context.store, id, context.now))

/** The user, if he exists; faults of the input are told first. */
function there(user: UserRecord | undefined, fault?: AppError): UserRecord {
  if (fault) throw fault
  if (!user) throw notFound()
  return user
}

const notFound = () => refuse('USER_NOT_FOUND', 'user_id')

/** Past the deadline, purged or not, a user cannot be restored; one who never was cannot be found. */
async function restorable(context: Context, id: string): Promise<UserRecord> {
  const [user, tombstone] = await Promise.all([
    readUser(context.store, id, context.now),
    context.store.get(tombstoneKey(id)),
  ])
  if (user) return user
  throw tombstone ? refuse('USER_NOT_RESTORABLE', 'user_id') : notFound()
}

/** What writes and views need besides the user. Administrators are counted before the write, not beside it. */
async function surroundings(context: Context, embed: Embed): Promise<Around> {
  const [{ predefined }, administrators] = await Promise.all([
    context.organisation(),
    administratorsSoon(context, embed),
  ])
  return {
    administrators,
    now: context.now,
    shard: context.shard,
    memberRole: predefined.USER_GROUP_MEMBER ?? '',
    allUsers: predefined.ALL_USERS ?? '',
  }
}

async function mayBecome(context: Context, role: 'USER' | 'ADMIN' | undefined): Promise<void> {
  if (role !== 'ADMIN') return
  if (!mayAssign(await context.actor(), adminRole, 'ORGANISATION')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role')
}
