import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { remember } from '../request/preconditions.ts'
import type { Item } from '../table/store.ts'
import { isGone, ownOfUser, type UserRecord, users } from './user.ts'
import { isSameCreation, userFrom } from './userRules.ts'
import { administratorsFor, viewUser, writeUser } from './userView.ts'
import { checkNewRole, creation, readReferences, writeContext } from './userWrites.ts'

/** Creates a user, or answers the one that the same request has created before (200 instead of 201). */
export async function createUser(context: Context, { body, query }: Input<'createUser'>) {
  const id = body.id ?? context.newId()
  const [writing, administrators, { group, editions, fault }] = await Promise.all([
    writeContext(context),
    administratorsFor(context, query.embed),
    readReferences(context, body),
    checkNewRole(context, body.role),
  ])
  if (fault) throw fault
  const after = userFrom(body, { id, now: context.now, group: group?.id ?? writing.allUsers })
  // The user that holds the id, if it is the very user that the body describes: the request was sent twice.
  let same: UserRecord | undefined
  const whenIdTaken = (found: Item | undefined): Error => {
    const existing = users.of(found)
    if (existing && !isGone(existing, context.now) && isSameCreation(after, existing)) same = existing
    return refuse('USER_ID_ALREADY_EXISTS', 'id')
  }
  const actions = [...remember(context, id), ...creation(after, { ...writing, editions }, whenIdTaken)]
  try {
    const view = await writeUser(context, query.embed, { before: undefined, after, actions, administrators, group })
    return { status: 201, body: view, own: ownOfUser(after) }
  } catch (error) {
    if (!same) throw error
    return { status: 200, body: await viewUser(context, same, query.embed, { group }), own: ownOfUser(same) }
  }
}
