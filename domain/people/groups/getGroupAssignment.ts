import type { Context, Input } from '../../request/context.ts'
import { ownOfGroupAssignment } from '../records/groupAssignment.ts'
import { rulesGiving } from '../rules/rulesGiving.ts'
import { existingGroupAssignment, viewGroupAssignment } from './groupAssignmentView.ts'

/** Reads an assignment. If rules give it, the answer names them. */
export async function getGroupAssignment(context: Context, { path, query }: Input<'getGroupAssignment'>) {
  const [found, actor] = await Promise.all([existingGroupAssignment(context, path), context.actor()])
  const rule_ids = found.source === 'RULE' ? await rulesGiving(context.store, path, found.user) : undefined
  const body = { ...viewGroupAssignment(path, { ...found, embed: query.embed, actor }), ...(rule_ids && { rule_ids }) }
  return { status: 200, body, own: ownOfGroupAssignment(path, found.source) }
}
