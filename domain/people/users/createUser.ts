import { AppError, refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import type { Item } from '../../table/store.ts'
import { isSameCreation, userFrom } from '../records/newUser.ts'
import { withLanguage } from '../records/preferredLanguage.ts'
import { checkNewRole } from '../records/roleRules.ts'
import { type UserRecord, users } from '../records/user.ts'
import { isGone, userFields } from '../records/userFields.ts'
import { checkAdministrator } from '../records/userRules.ts'
import { rulesForNewUser } from '../rules/rulesInUserChange.ts'
import { creation } from './creation.ts'
import { readReferences } from './references.ts'
import { administratorsFor, viewUser } from './userView.ts'
import { writeContext } from './writeContext.ts'
import { writeUser } from './writeUser.ts'

/** The same request has created this user before. */
class AlreadyCreated extends AppError {
  override name = 'AlreadyCreated'
  readonly user: UserRecord
  constructor(user: UserRecord) {
    super('USER_ID_ALREADY_EXISTS', { property: 'id' })
    this.user = user
  }
}

/** Creates a user, or answers the one that the same request has created before (200 instead of 201). */
export async function createUser(context: Context, { body, query }: Input<'createUser'>) {
  const id = body.id ?? context.newId()
  const [actor, writing, administrators, { group, editions, language, fault }] = await Promise.all([
    context.actor(),
    writeContext(context),
    administratorsFor(context, query.embed),
    readReferences(context, body),
  ])
  checkNewRole(actor, body.role)
  if (fault) throw fault
  const after = userFrom(withLanguage(body, { language }), {
    id,
    now: context.now,
    group: group?.id ?? writing.allUsers,
  })
  checkAdministrator(actor, undefined, after)
  const whenIdTaken = (found: Item | undefined): Error => {
    const existing = users.of(found)
    const isSame = existing && !isGone(existing, context.now) && isSameCreation(after, existing)
    return isSame ? new AlreadyCreated(existing) : refuse('USER_ID_ALREADY_EXISTS', 'id')
  }
  const rulesForUser = await rulesForNewUser(context)
  const actions = [
    ...reserveIdempotencyKey(context, id),
    ...creation(after, { ...writing, editions, rulesForUser }, whenIdTaken),
  ]
  try {
    const view = await writeUser(context, query.embed, { before: undefined, after, actions, administrators, group })
    return { status: 201, body: view, own: userFields.own(after) }
  } catch (error) {
    if (!(error instanceof AlreadyCreated)) throw error
    const { user } = error
    return { status: 200, body: await viewUser(context, user, query.embed, { group }), own: userFields.own(user) }
  }
}
