import type { Context as LambdaContext } from 'aws-lambda'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { finishRenames } from '../../domain/users/renames.ts'
import { environment, newStore } from '../middleware/environment.ts'

/** Scheduled: finishes renames whose callers died, and removes users past their deadline, in as many runs as it takes. */
export const handler = async (_event: unknown, context: LambdaContext): Promise<PurgeSummary> => {
  const [store, now] = [newStore(), environment.now().toISOString()]
  await finishRenames(store, now)
  return purgeUsers({ store, now, timeLeft: () => context.getRemainingTimeInMillis(), log: environment.log })
}
