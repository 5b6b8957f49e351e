import delay from 'delay'
import { type Done, RollcallError, rollcallError } from './errors.ts'

type Options = {
  attempts: number
  /** Whether the call may be sent again although an earlier attempt may have done what it asks for. */
  isRepeatable: boolean
  signal?: AbortSignal | null | undefined
  /** Called before each pause. */
  onPause?: ((seconds: number, error: RollcallError) => void) | undefined
}

/**
 * Makes a call until it succeeds, or until trying again is of no use or could do harm. Returns its result, and what the
 * attempts before may have done. Throws the last error, whose `done` is about all attempts.
 */
export async function repeating<T>(call: () => Promise<T>, options: Options): Promise<[result: T, done: Done]> {
  let done: Done = false
  for (let attempt = 1; ; attempt++) {
    const result: T | RollcallError = await call().catch(rollcallError)
    if (!(result instanceof RollcallError)) return [result, done]
    const isSafe = options.isRepeatable || result.done === false
    // A refusal may be due to what an earlier attempt has done, so it does not mean that nothing was done.
    done = [done, result.done].includes(true) || done || result.done
    if (attempt >= options.attempts || !isSafe || !isPassing(result)) throw Object.assign(result, { done })
    const seconds = secondsBefore(attempt, result.retry_after)
    options.onPause?.(seconds, result)
    await delay(seconds * 1000, options.signal ? { signal: options.signal } : {})
  }
}

/** No answer at all, or one that the next attempt may not get. */
const isPassing = ({ status, error_code }: RollcallError): boolean =>
  [undefined, 429, 502, 503, 504].includes(status) ||
  ['CONCURRENT_MODIFICATION', 'IDEMPOTENCY_KEY_IN_USE'].includes(error_code ?? '')

/** As long as an answer says, and longer after each attempt. Chance keeps clients from coming back all at once. */
const secondsBefore = (attempt: number, seconds = 0): number => seconds + Math.random() * 0.2 * 2 ** attempt

/** Waits before the next attempt. */
export const pause = (attempt: number, seconds = 0, signal?: AbortSignal | null): Promise<void> =>
  delay(secondsBefore(attempt, seconds) * 1000, signal ? { signal } : {})
