import type { Context as LambdaContext } from 'aws-lambda'
import { isStoreDown, traceOf } from '../../domain/base/errors.ts'
import { clearAbandoned } from '../../domain/import/abandoned.ts'
import { finishCounting } from '../../domain/jobs/countUses.ts'
import { finishGroupWork } from '../../domain/jobs/finishGroupWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/jobs/purgeUsers.ts'
import type { Outcome, Scheduled } from '../../domain/jobs/workThrough.ts'
import { finishTaskWork } from '../../domain/tasks/finishTaskWork.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import { environment, storeInTime } from '../middleware/environment.ts'

/** What a run did; `stopped` names the step that could not ask the database any more. */
type Summary = Omit<PurgeSummary, 'stopped'> & { stopped?: string }

type Step = (around: Scheduled) => Promise<Outcome & { purged?: number }>

const clearedAbandoned: Step = async ({ clock, ...around }) => {
  await clearAbandoned({ ...around, clock, now: clock().toISOString(), newId: environment.newId })
  return { failed: 0, left: false }
}

const steps: Record<string, Step> = {
  finishRenames,
  finishTaskWork,
  clearAbandoned: clearedAbandoned,
  finishGroupWork,
  finishCounting,
  purgeUsers,
}

/**
 * Scheduled: finishes renames and work on tasks and groups whose callers died, clears what dead imports have left,
 * and removes users past their deadline, in as many runs as it takes. What fails is logged and tried again by a later
 * run; the rest goes on. When the database is busy or cannot be reached, the run ends. One line says what became of
 * all of it.
 */
export const handler = async (_event: unknown, context: LambdaContext): Promise<Summary> => {
  const timeLeft = () => context.getRemainingTimeInMillis()
  const around: Scheduled = {
    store: storeInTime(timeLeft),
    clock: () => environment.now(),
    timeLeft,
    log: environment.log,
  }
  const summary: Summary = { purged: 0, failed: 0, left: false }
  let why: object = {}
  for (const [step, work] of Object.entries(steps)) {
    const { purged = 0, failed, left, stopped } = await tried(step, work(around))
    summary.purged += purged
    summary.failed += failed
    summary.left ||= left
    if (!stopped) continue
    summary.stopped = step
    why = stopped
    break
  }
  const level = summary.failed > 0 || summary.stopped ? 'error' : 'info'
  environment.log({ level, endpoint: 'purge', ...summary, ...why })
  return summary
}

async function tried(step: string, work: ReturnType<Step>): ReturnType<Step> {
  try {
    return await work
  } catch (error) {
    if (isStoreDown(error)) return { failed: 0, left: true, stopped: traceOf(error) }
    environment.log({ level: 'error', endpoint: 'purge', step, ...traceOf(error) })
    return { failed: 1, left: true }
  }
}
