import { succeeded, systemCause } from '../../table/actions.ts'
import { replaceRecord } from '../../table/changes.ts'
import { type Outcome, untilDown, type WorkerContext } from '../../work/workThrough.ts'
import { serviceTokens } from './serviceToken.ts'
import { warned } from './tokenRules.ts'
import { readAllTokens } from './tokenView.ts'

/** The minute of each hour in which tokens are read. Once an hour is enough, and at the full hour other schedules run. */
const MINUTE = 17

/**
 * Announces service tokens that expire in 30 or in 7 days: an event for each, and their number as a metric. Reads all tokens once
 * an hour. A warning that cannot be written is written an hour later.
 */
export async function announceExpiry(context: WorkerContext): Promise<Outcome & { expiring: number }> {
  const { store, operation = 'purge' } = context
  const outcome = { failed: 0, left: false, expiring: 0 }
  return untilDown(outcome, async () => {
    const clock = context.clock()
    if (clock.getUTCMinutes() !== MINUTE) return
    const now = clock.toISOString()
    const recorded = store.causedBy(systemCause(operation))
    for (const token of await readAllTokens(store)) {
      const after = warned(token, now)
      if (after && (await succeeded(recorded.write([replaceRecord(serviceTokens, token, after)])))) outcome.expiring++
    }
  })
}
