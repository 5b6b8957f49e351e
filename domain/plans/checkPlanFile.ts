import { createHash } from 'node:crypto'
import { type CodedFault, faultAt, refuseFault, requireNone } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { gapIn, wrongSum } from './file/completeness.ts'
import { bytesOf, digestOfParts, type FilePart, readParts, sizeOfParts } from './file/fileParts.ts'
import { planFiles } from './file/planFiles.ts'
import { expireOpen, readOpenPlans } from './openPlans.ts'
import { answerPlan, type FileSum, move, type Plan, requirePlan, start, stateConflict } from './plan.ts'
import { requireScopes } from './planRights.ts'
import { wakePlan } from './wake.ts'

/** The sum of larger files is compared by a worker. */
const MOST_AT_ONCE = 64 * 1024 * 1024

/** Begins to check a plan whose file is uploaded. From now on its parts stay as they are. */
export async function checkPlanFile(context: Context, { path, body }: Input<'checkPlanFile'>) {
  const { store, now } = context
  const [plan, parts] = await Promise.all([requirePlan(store, path.plan_id, now), readParts(store, path.plan_id)])
  requireScopes(await context.actor(), plan.scopes)
  if (plan.state !== 'WAITING') throw stateConflict(plan, 'only a plan that is WAITING takes a file')
  requireNone(faultsOf(plan, body))
  const file: FileSum = { ...body, sha256: body.sha256.toLowerCase(), rows: body.rows ?? null, summed: null }
  const isSmall = sizeOfParts(parts) <= MOST_AT_ONCE
  if (isSmall) await requireComplete(plan, parts, file)
  const open = await readOpenPlans(store)
  const { after, action } = move(plan, {
    state: 'CHECKING',
    // A part that was replaced since it was read has another name, so a worker compares the sum again.
    file: { ...file, summed: isSmall ? digestOfParts(parts) : null },
    position: { ...start, step: plan.position.step + 1 },
    ...{ fault: null, expires_at: null },
  })
  await store.write([action, expireOpen(open, plan.id, null), wakePlan(plan.id, now)])
  return answerPlan(after, 202)
}

const faultsOf = ({ request }: Plan, { rows }: Input<'checkPlanFile'>['body']): CodedFault[] =>
  rows === undefined && (request.absent ?? 'KEEP') !== 'KEEP'
    ? [faultAt('VALIDATION_ERROR', 'rows', `must be given where absent is ${request.absent}`)]
    : []

/** Throws PLAN_FILE_INCOMPLETE if the parts are not the file that the caller has described. */
async function requireComplete(plan: Plan, parts: readonly FilePart[], file: FileSum): Promise<void> {
  const gap = gapIn(parts, file)
  if (gap) throw refuseFault('PLAN_FILE_INCOMPLETE', gap.property, gap.message)
  const sum = createHash('sha256')
  for await (const piece of bytesOf(planFiles(plan.id), parts).read(0)) sum.update(piece)
  if (sum.digest('hex') !== file.sha256) throw refuseFault('PLAN_FILE_INCOMPLETE', wrongSum.property, wrongSum.message)
}
