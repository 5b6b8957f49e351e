import { errorOf, refuse } from '../base/errors.ts'
import { asRecord } from '../base/values.ts'
import { shortSpan, spanFaults } from '../events/eventRules.ts'
import type { Context, Input, MoreFaults } from '../request/context.ts'
import { absent, atMost, either } from '../table/expressions.ts'
import { wake } from '../table/outbox.ts'
import { replayItem } from './replay.ts'
import { requireEnabled, requireWebhook, stillEnabled } from './webhook.ts'

/** Finds more faults in a body that the schema has refused. */
export const wrongSpan: MoreFaults = async (_context, body) => errorOf(spanFaults(asRecord(body) ?? {}, true))

/** Delivers the events of up to 31 days once more, the oldest first. Only one replay of a webhook runs at a time. */
export async function replayEvents({ store, now, newId }: Context, { path, body }: Input<'replayEvents'>) {
  const { from, to } = shortSpan({ from: body.from, to: body.to ?? undefined }, now)
  const webhook = await requireWebhook(store, path.webhook_id)
  requireEnabled(webhook)
  const { id, generation } = webhook
  await store.write([
    {
      put: replayItem(id, { at: from, to, generation }),
      // Disabling has ended the one before, even if that is still stored.
      if: either(absent, atMost('generation', generation - 1)),
      otherwise: () => refuse('REPLAY_RUNNING', 'webhook_id'),
    },
    stillEnabled(webhook),
    wake(newId()),
  ])
  return { status: 202, body: { from, to } }
}
