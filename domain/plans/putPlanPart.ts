import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { requireFields } from '../table/changes.ts'
import { nameOfPart, partWrite, readParts, sizeOfParts } from './file/fileParts.ts'
import { planFiles } from './file/planFiles.ts'
import { plans, requirePlan, stateConflict } from './plan.ts'
import { requireScopes } from './planRights.ts'

/** The most bytes of a file, unpacked. */
const MOST_FILE_BYTES = 500 * 1024 * 1024

/**
 * Stores a part of the file of a plan that waits for it; an earlier one of its number counts no more. The bytes are stored first,
 * and count when the table says so, which it does only as long as the plan waits.
 */
export async function putPlanPart(context: Context, { path, body }: Input<'putPlanPart'>) {
  const { store, now } = context
  const { plan_id, n } = path
  const number = Number(n)
  const [plan, parts] = await Promise.all([requirePlan(store, plan_id, now), readParts(store, plan_id)])
  requireScopes(await context.actor(), plan.scopes)
  if (plan.state !== 'WAITING') throw stateConflict(plan, 'only a plan that is WAITING takes a file')
  const others = parts.filter((part) => part.number !== number)
  if (sizeOfParts(others) + body.length > MOST_FILE_BYTES)
    throw refuse('PAYLOAD_TOO_LARGE', undefined, 'The file has more than 500 MiB')
  const files = planFiles(plan.id)
  const name = nameOfPart(number, context.newId())
  await files.put(name, body)
  try {
    await store.write([
      requireFields(plans, [plan.id], { state: 'WAITING', expires_at: plan.expires_at }),
      partWrite(plan.id, { number, name, bytes: body.length }),
    ])
  } catch (error) {
    await files.remove(name)
    throw error
  }
  return { status: 204, body: undefined }
}
