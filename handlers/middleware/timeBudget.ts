import type { Context as LambdaContext } from 'aws-lambda'
import { environment } from './environment.ts'

/** Time that is kept for the last log line and the answer, before Lambda ends a function. */
const LAST_LINE_MS = 500
/** The longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * The time of a function that the schedule, the stream or a deployment starts. `signal` is aborted shortly before the time is over, and all requests
 * with it, so that the function can still log and answer.
 */
export function timeBudget(lambda: Pick<LambdaContext, 'getRemainingTimeInMillis'>) {
  const timeLeft = (): number => lambda.getRemainingTimeInMillis()
  const over = new AbortController()
  setTimeout(() => over.abort(), Math.min(LONGEST_MS, Math.max(0, timeLeft() - LAST_LINE_MS))).unref()
  return { signal: () => over.signal, clock: () => environment.clock(), timeLeft }
}
