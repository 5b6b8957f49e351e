import type { Context as LambdaContext } from 'aws-lambda'
import { clearUnfinished } from '../../domain/import/unfinished.ts'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import { environment, newStore } from '../middleware/environment.ts'

/**
 * Scheduled: finishes renames whose callers died, clears what dead imports have left, and removes users past their
 * deadline, in as many runs as it takes.
 */
export const handler = async (_event: unknown, context: LambdaContext): Promise<PurgeSummary> => {
  const [store, now] = [newStore(), environment.now().toISOString()]
  const timeLeft = () => context.getRemainingTimeInMillis()
  await finishRenames(store, now)
  await clearUnfinished({ store, now, timeLeft })
  return purgeUsers({ store, now, timeLeft, log: environment.log })
}
