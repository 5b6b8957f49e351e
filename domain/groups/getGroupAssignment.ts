import type { Context, Input } from '../request/context.ts'
import { existingGroupAssignment, viewGroupAssignment } from './groupAssignment.ts'

/** Reads an assignment. */
export async function getGroupAssignment(context: Context, { path, query }: Input<'getGroupAssignment'>) {
  const found = await existingGroupAssignment(context, path)
  return { status: 200, body: viewGroupAssignment(path, { ...found, embed: query.embed }) }
}
