import type { Context as LambdaContext } from 'aws-lambda'
import { type PurgeSummary, purgeUsers } from '../../domain/users/purgeUsers.ts'
import { environment, newStore } from '../middleware/environment.ts'

/** Scheduled: removes users whose deadline has passed. What a run has no time for, the next one does. */
export const handler = (_event: unknown, context: LambdaContext): Promise<PurgeSummary> =>
  purgeUsers({
    store: newStore(),
    now: environment.now().toISOString(),
    timeLeft: () => context.getRemainingTimeInMillis(),
    log: environment.log,
  })
