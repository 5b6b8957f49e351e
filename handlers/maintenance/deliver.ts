import type { Context as LambdaContext } from 'aws-lambda'
import { isStoreDown, traceOf } from '../../domain/base/errors.ts'
import { deliver } from '../../domain/webhooks/deliver.ts'
import { externals } from '../../domain/webhooks/externals.ts'
import { environment, requireLayout } from '../middleware/environment.ts'
import { newWorker } from '../middleware/newWorker.ts'

/** What a run did; `stopped` says why it ended early. */
type Summary = Partial<Awaited<ReturnType<typeof deliver>>> & { stopped?: object }

/**
 * Makes and tries the deliveries of webhooks. The table's stream calls it for new entries of the outbox, the schedule every
 * minute for what is due. It never fails: what is left is in the table. Each run that has done something, or is stuck, writes one
 * log line. The schedule's run always does, as the line also says how many webhooks are FAILING.
 */
export const handler = async (event: object, lambda: LambdaContext): Promise<Summary> => {
  const { context, requests } = newWorker('deliver', lambda)
  const summary: Summary = await requireLayout(context.store)
    .then(() =>
      deliver({
        ...context,
        newId: environment.newId,
        keyService: externals.keyService(),
        reach: externals.reach(),
      }),
    )
    .then((run): Summary => run ?? {})
    .catch((error: unknown): Summary => ({ stopped: { ...traceOf(error), isStoreDown: isStoreDown(error) } }))
  const { delivered = 0, failed = 0, disabled = 0, stuck = 0, failing = 0, stopped, ...counts } = summary
  const isStuck = stopped !== undefined || stuck > 0
  // Only the schedule's event has a source.
  const isSilent = !isStuck && !('source' in event) && delivered + failed + disabled === 0
  if (isSilent) return summary
  const measures = {
    Deliveries: delivered,
    DeliveryFailures: failed,
    WebhooksFailing: failing,
    ...(disabled > 0 ? { WebhooksDisabled: disabled } : {}),
    ...(isStuck ? { DeliveriesStuck: 1 } : {}),
    ...requests(),
  }
  context.log(
    { level: isStuck ? 'error' : 'info', delivered, failed, disabled, stuck, failing, ...counts, ...stopped },
    measures,
  )
  return summary
}
