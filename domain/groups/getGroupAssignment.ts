import type { Context, Input } from '../request/context.ts'
import { existingGroupAssignment, ownOfGroupAssignment, viewGroupAssignment } from './groupAssignment.ts'

/** Reads an assignment. */
export async function getGroupAssignment(context: Context, { path, query }: Input<'getGroupAssignment'>) {
  const [found, actor] = await Promise.all([existingGroupAssignment(context, path), context.actor()])
  const body = viewGroupAssignment(path, { ...found, embed: query.embed, actor })
  return { status: 200, body, own: ownOfGroupAssignment(path, found.source) }
}
