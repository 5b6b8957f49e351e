import type { Context as LambdaContext } from 'aws-lambda'
import { clearUnfinished } from '../../domain/import/unfinished.ts'
import { finishTaskWork } from '../../domain/tasks/finishTaskWork.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import { environment, newStore } from '../middleware/environment.ts'

/**
 * Scheduled: finishes renames and work on tasks whose callers died, clears what dead imports have left, and removes
 * users past their deadline, in as many runs as it takes.
 */
export const handler = async (_event: unknown, context: LambdaContext): Promise<PurgeSummary> => {
  const [store, now] = [newStore(), environment.now().toISOString()]
  const around = { store, now, timeLeft: () => context.getRemainingTimeInMillis(), log: environment.log }
  await finishRenames(store, now)
  await finishTaskWork(around)
  await clearUnfinished(around)
  return purgeUsers(around)
}
