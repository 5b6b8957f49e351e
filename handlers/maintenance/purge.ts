import type { Context as LambdaContext } from 'aws-lambda'
import { isStoreDown, traceOf } from '../../domain/base/errors.ts'
import { type Found, finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { announceExpiry } from '../../domain/people/tokens/announceExpiry.ts'
import { addOutcome, type Outcome, type WorkerContext } from '../../domain/work/workThrough.ts'
import { requireLayout } from '../middleware/environment.ts'
import type { Measures } from '../middleware/log.ts'
import { newWorker } from '../middleware/newWorker.ts'

/** What a run did; `stopped` names the step at which the database was busy or could not be reached. */
type Summary = Omit<PurgeSummary, 'stopped'> & { expiring: number; stopped?: string }

/** Users removed, and service tokens whose end was announced. */
type Counts = { purged: number; expiring: number }
type Step = (context: WorkerContext) => Promise<Outcome & Partial<Counts> & { found?: Found }>

const checkLayout: Step = async ({ store }) => {
  await requireLayout(store)
  return { failed: 0, left: false }
}

const steps: Record<string, Step> = { checkLayout, finishOverdue, purgeUsers, announceExpiry }

/**
 * Finishes work whose callers died or had no time for all of it, removes users past their deadline, and announces service
 * tokens that will expire. A later run tries again what failed. The run ends when the database is busy or cannot be reached.
 * One log line has the outcome.
 */
export const handler = async (_event: unknown, lambda: LambdaContext): Promise<Summary> => {
  const { context, requests } = newWorker('purge', lambda)
  const sum: Outcome & Counts = { purged: 0, expiring: 0, failed: 0, left: false }
  let stopped: string | undefined
  let work: Worked | undefined
  for (const [step, run] of Object.entries(steps)) {
    const outcome = await tried(context, step, run)
    addOutcome(sum, outcome)
    addCounts(sum, outcome)
    if (outcome.found) work = { ...outcome.found, finished: outcome.finished ?? 0 }
    if (!outcome.stopped) continue
    stopped = step
    break
  }
  const { stopped: why, finished: _, ...counts } = sum
  const summary: Summary = { ...counts, ...(stopped === undefined ? {} : { stopped }) }
  const level = summary.failed > 0 || stopped ? 'error' : 'info'
  context.log({ level, ...summary, ...why }, { ...measuresOfRun(summary, work), ...requests() })
  return summary
}

function addCounts(sum: Counts, { purged = 0, expiring = 0 }: Partial<Counts>): void {
  sum.purged += purged
  sum.expiring += expiring
}

type Worked = Found & { finished: number }

const measuresOfRun = ({ purged, expiring, failed }: Summary, work: Worked | undefined): Measures => ({
  PurgeRuns: 1,
  UsersPurged: purged,
  ...(expiring > 0 ? { TokensExpiring: expiring } : {}),
  WorkFailed: failed,
  ...(work
    ? {
        WorkFinished: work.finished,
        WorkEntries: work.entries,
        WorkStuck: work.stuck,
        WorkOverdue: work.overdueSeconds,
        PlanWaiting: work.planWaitSeconds,
      }
    : {}),
})

async function tried(context: WorkerContext, step: string, run: Step): ReturnType<Step> {
  try {
    return await run(context)
  } catch (error) {
    if (isStoreDown(error)) return { failed: 0, left: true, stopped: traceOf(error) }
    context.log({ level: 'error', step, ...traceOf(error) })
    return { failed: 1, left: true }
  }
}
