import hashWasm from 'hash-wasm/dist/sha256.umd.min.js'
import { isShortOfTime, type Work } from '../../work/steps.ts'
import { expireOpen, readOpenPlans } from '../openPlans.ts'
import { endOfWaiting, type FileSum, move, type Plan, progressed, start } from '../plan.ts'
import { type Gap, gapIn, wrongSum } from './completeness.ts'
import { bytesOf, digestOfParts, type FilePart, readParts } from './fileParts.ts'
import { planFiles } from './planFiles.ts'

// Compares the sum of a large file, in as many runs of a worker as it takes.

/** After so many bytes it is written how far the sum is. */
const STEP = 32 * 1024 * 1024

/** Whether the file of a plan is complete. If that is not known yet, a step of the comparison is made. */
export async function isComplete(work: Work, plan: Plan & { file: FileSum }): Promise<boolean> {
  const parts = await readParts(work.store, plan.id)
  if (plan.file.summed === digestOfParts(parts)) return true
  const gap = gapIn(parts, plan.file)
  if (gap) await waitAgain(work, plan, gap)
  else await sumUp(work, plan, parts)
  return false
}

/** The sum so far is kept with the plan: the library can save it, Node's own cannot. */
async function sumUp(work: Work, plan: Plan & { file: FileSum }, parts: readonly FilePart[]): Promise<void> {
  const { so_far, ...file } = plan.file
  const sum = await hashWasm.createSHA256()
  if (so_far) sum.load(Buffer.from(so_far.state, 'base64'))
  else sum.init()
  const from = so_far?.offset ?? 0
  let offset = from
  for await (const piece of bytesOf(planFiles(plan.id), parts).read(from)) {
    sum.update(piece)
    offset += piece.length
    if (offset < file.bytes && (offset - from >= STEP || isShortOfTime(work)))
      return write(work, plan, { ...file, so_far: { offset, state: Buffer.from(sum.save()).toString('base64') } })
  }
  if (sum.digest() !== file.sha256) return waitAgain(work, plan, wrongSum)
  return write(work, plan, { ...file, summed: digestOfParts(parts) })
}

async function write({ store }: Work, plan: Plan, file: FileSum): Promise<void> {
  const position = { ...plan.position, step: plan.position.step + 1 }
  const progress = { done: file.so_far?.offset ?? file.bytes, total: file.bytes }
  await store.write([progressed(plan, { file, position, progress }).action])
}

/** The plan waits again for its file, as long as it would have from the beginning. */
async function waitAgain({ store }: Work, plan: Plan, { property, message }: Gap): Promise<void> {
  const expires_at = endOfWaiting(plan.created_at)
  const open = await readOpenPlans(store)
  const { action } = move(plan, {
    state: 'WAITING',
    fault: { code: 'PLAN_FILE_INCOMPLETE', detail: `${property} ${message}` },
    position: { ...start, step: plan.position.step + 1 },
    ...{ file: null, progress: null, expires_at },
  })
  await store.write([action, expireOpen(open, plan.id, expires_at)])
}
