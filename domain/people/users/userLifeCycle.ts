import { refuse } from '../../base/errors.ts'
import type { Context, Input, RecordAnswer } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { tombstoneKey } from '../../table/keys.ts'
import { readUser, requireUser, type UserRecord } from '../records/user.ts'
import { userFields } from '../records/userFields.ts'
import { actedOn, checkAction, checkAdministrator, checkNotOneself, type UserAction } from '../records/userRules.ts'
import { rulesForChange } from '../rules/rulesForChange.ts'
import { change, deletionChange } from './change.ts'
import { administratorsFor, type UserView } from './userView.ts'
import { writeContext } from './writeContext.ts'
import { writeUser } from './writeUser.ts'

/** What all actions of a user's life cycle take. */
type ActionInput = Pick<Input<'lockUser'>, 'path' | 'query'>

/**
 * The operation that carries out an action of a user's life cycle. `deadline`: of a deletion that brings an earlier one back; 14 days
 * from now without it.
 */
export function lifeCycle(action: Exclude<UserAction, 'update'>, deadline?: string) {
  return async (context: Context, { path, query }: ActionInput): Promise<RecordAnswer<UserView>> => {
    const [actor, before, writing, administrators] = await Promise.all([
      context.actor(),
      action === 'restore' ? restorable(context, path.user_id) : existing(context, path.user_id),
      writeContext(context),
      administratorsFor(context, query.embed),
    ])
    checkNotOneself(action, before, context.actorId)
    const decide = () => {
      const acted = actedOn(action, before, context.now, deadline)
      checkAdministrator(actor, before, acted)
      checkAction(action, before, context.actorId)
      return acted
    }
    const after = changeIfMatch(context, before, decide, userFields.own(before))
    const rulesForUser = action === 'restore' ? await rulesForChange(context, { before, after }) : undefined
    const write = after.deletion_at === before.deletion_at ? change : deletionChange
    const actions = write(before, after, { ...writing, rulesForUser })
    const view = await writeUser(context, query.embed, { before, after, actions, administrators })
    return { status: 200, body: view, own: userFields.own(after) }
  }
}

const existing = async ({ store, now }: Context, id: string): Promise<UserRecord> =>
  requireUser(await readUser(store, id, now))

/** The user to restore. Refuses one past their deadline, whether purged yet or not, with another code than an unknown id. */
async function restorable({ store, now }: Context, id: string): Promise<UserRecord> {
  const [user, tombstone] = await Promise.all([readUser(store, id, now), store.get(tombstoneKey(id))])
  if (!user && tombstone) throw refuse('USER_NOT_RESTORABLE', 'user_id')
  return requireUser(user)
}
