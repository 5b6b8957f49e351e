import type { Context as LambdaContext } from 'aws-lambda'
import { isStoreDown, traceOf } from '../../domain/base/errors.ts'
import { type Found, finishOverdue } from '../../domain/jobs/finishWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/jobs/purgeUsers.ts'
import { addOutcome, type Outcome, type WorkerContext } from '../../domain/jobs/workThrough.ts'
import { forWork, newTraffic } from '../../domain/table/dynamo.ts'
import { environment, inTime, type Measures, measuresOf, requireLayout } from '../middleware/environment.ts'

/** What a run did; `stopped` names the step that could not ask the database any more. */
type Summary = Omit<PurgeSummary, 'stopped'> & { stopped?: string }

type Step = (context: WorkerContext) => Promise<Outcome & { purged?: number; found?: Found }>

const checkLayout: Step = async ({ store }) => {
  await requireLayout(store)
  return { failed: 0, left: false }
}

const steps: Record<string, Step> = { checkLayout, finishOverdue, purgeUsers }

/**
 * Finishes work whose callers died or had no time for all of it, and removes users past their deadline. A
 * later run tries again what failed. The run ends when the database is busy or cannot be reached. One log line has
 * the outcome.
 */
export const handler = async (_event: unknown, lambda: LambdaContext): Promise<Summary> => {
  const traffic = newTraffic()
  const log = (line: object) => environment.log({ endpoint: 'purge', ...line })
  const context: WorkerContext = { ...inTime(lambda, traffic, forWork), operation: 'purge', log }
  const sum: Outcome & { purged: number } = { purged: 0, failed: 0, left: false }
  let stopped: string | undefined
  let work: Worked | undefined
  for (const [step, run] of Object.entries(steps)) {
    const outcome = await tried(step, run(context))
    addOutcome(sum, outcome)
    sum.purged += outcome.purged ?? 0
    if (outcome.found) work = { ...outcome.found, finished: outcome.finished ?? 0 }
    if (!outcome.stopped) continue
    stopped = step
    break
  }
  const { stopped: why, finished: _, ...counts } = sum
  const summary: Summary = { ...counts, ...(stopped === undefined ? {} : { stopped }) }
  const level = summary.failed > 0 || stopped ? 'error' : 'info'
  environment.log(
    { level, endpoint: 'purge', ...summary, ...why },
    { ...measuresOfRun(summary, work), ...measuresOf(traffic) },
  )
  return summary
}

type Worked = Found & { finished: number }

const measuresOfRun = ({ purged, failed }: Summary, work: Worked | undefined): Measures => ({
  PurgeRuns: 1,
  UsersPurged: purged,
  WorkFailed: failed,
  ...(work
    ? {
        WorkFinished: work.finished,
        WorkEntries: work.entries,
        WorkStuck: work.stuck,
        WorkOverdue: work.overdueSeconds,
      }
    : {}),
})

async function tried(step: string, run: ReturnType<Step>): ReturnType<Step> {
  try {
    return await run
  } catch (error) {
    if (isStoreDown(error)) return { failed: 0, left: true, stopped: traceOf(error) }
    environment.log({ level: 'error', endpoint: 'purge', step, ...traceOf(error) })
    return { failed: 1, left: true }
  }
}
