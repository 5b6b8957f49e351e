import type { Key } from '../table/store.ts'
import type { WorkStatus } from '../table/workKinds.ts'
import { isShortOfTime, type Work } from './steps.ts'
import { handOver, withLease } from './taking.ts'

/**
 * Does the work of calls (taker CALL): what this call has noted, and what earlier ones have noted for the same task, if they
 * are among the entries. Hands over what fails or does not fit into its time. It never throws: the call has been carried out
 * already.
 */
export async function doWorkOfCalls<W extends Work, E extends Key & WorkStatus>(
  work: W,
  entries: readonly E[],
  finish: (work: W, entry: E) => Promise<unknown>,
): Promise<void> {
  const ofCalls = entries.filter(({ taker }) => taker === 'CALL')
  try {
    for (const entry of ofCalls) if (!isShortOfTime(work)) await finish(withLease(work, entry), entry)
    if (!isShortOfTime(work)) return
  } catch {
    // Handed over with the rest.
  }
  // Where even this fails, the schedule takes them when their leases end.
  await Promise.allSettled(ofCalls.map((entry) => handOver(work, entry)))
}
