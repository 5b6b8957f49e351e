import type { Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/errors.ts'
import { finishGroupWork } from '../../domain/groups/finishGroupWork.ts'
import { clearAbandoned } from '../../domain/import/abandoned.ts'
import { finishTaskWork } from '../../domain/tasks/finishTaskWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import type { Outcome, Scheduled } from '../../domain/work/workThrough.ts'
import { environment, newStore } from '../middleware/environment.ts'

/**
 * Scheduled: finishes renames and work on tasks and groups whose callers died, clears what dead imports have left, and
 * removes users past their deadline, in as many runs as it takes. What fails is logged and tried again by a later run;
 * the rest goes on. One line says what became of all of it.
 */
export const handler = async (_event: unknown, context: LambdaContext): Promise<PurgeSummary> => {
  const around: Scheduled = {
    store: newStore(),
    clock: () => environment.now(),
    timeLeft: () => context.getRemainingTimeInMillis(),
    log: environment.log,
  }
  const outcomes = [
    await tried('finishRenames', finishRenames(around)),
    await tried('finishTaskWork', finishTaskWork(around)),
    await tried('clearAbandoned', clearedAbandoned(around)),
    await tried('finishGroupWork', finishGroupWork(around)),
  ]
  const users = await purgeUsers(around)
  const all = [...outcomes, users]
  const failed = all.reduce((sum, outcome) => sum + outcome.failed, 0)
  const summary = { purged: users.purged, failed, left: all.some(({ left }) => left) }
  environment.log({ level: failed > 0 ? 'error' : 'info', endpoint: 'purge', ...summary })
  return summary
}

async function clearedAbandoned({ clock, ...around }: Scheduled): Promise<Outcome> {
  await clearAbandoned({ ...around, clock, now: clock().toISOString(), newId: environment.newId })
  return { failed: 0, left: false }
}

const tried = (step: string, work: Promise<Outcome>): Promise<Outcome> =>
  work.catch((error: unknown) => {
    environment.log({ level: 'error', endpoint: 'purge', step, ...traceOf(error) })
    return { failed: 1, left: true }
  })
