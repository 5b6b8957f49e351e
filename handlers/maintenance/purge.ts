import type { Context as LambdaContext } from 'aws-lambda'
import { finishGroupWork } from '../../domain/groups/finishGroupWork.ts'
import { clearAbandoned } from '../../domain/import/abandoned.ts'
import { finishTaskWork } from '../../domain/tasks/finishTaskWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import { environment, newStore } from '../middleware/environment.ts'

/**
 * Scheduled: finishes renames and work on tasks and groups whose callers died, clears what dead imports have left, and
 * removes users past their deadline, in as many runs as it takes. What fails is logged and tried again by the next run;
 * the rest goes on.
 */
export const handler = async (_event: unknown, context: LambdaContext): Promise<PurgeSummary> => {
  const [store, now] = [newStore(), environment.now().toISOString()]
  const around = { store, now, timeLeft: () => context.getRemainingTimeInMillis(), log: environment.log }
  await tried('finishRenames', finishRenames(store, now))
  await tried('finishTaskWork', finishTaskWork(around))
  await tried('clearAbandoned', clearAbandoned({ ...around, newId: environment.newId, clock: environment.now }))
  await tried('finishGroupWork', finishGroupWork(around))
  return purgeUsers(around)
}

const tried = (step: string, work: Promise<void>): Promise<void> =>
  work.catch((error: Error) => environment.log({ level: 'error', endpoint: 'purge', step, fault: error.name }))
