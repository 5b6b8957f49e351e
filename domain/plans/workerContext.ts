import { randomUUID } from 'node:crypto'
import { boundedMap, remembered } from '../base/memory.ts'
import { readOrganisation } from '../people/records/organisation.ts'
import type { Actor } from '../request/actor.ts'
import type { Context } from '../request/context.ts'
import { randomShard } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import type { Work } from '../work/steps.ts'

/** The caller for whom work goes on: their id, their rights as they are now, and the request that asked for the work. */
type OnBehalf = { actorId: string; actor: Actor; requestId: string }

/** Makes the context in which a worker runs an operation for a caller, with the rights that they have at this moment. */
export type WorkerContexts = (store: Store, caller: OnBehalf) => Context

/** Nothing that goes on after a call shows pages. */
const noSeals = (): never => {
  throw new Error('Work has no cursors')
}

/** How long work uses settings before it reads them again, as calls do. */
const REMEMBERS_MS = 5_000

/** The contexts of one run of a worker. What they remember ends with the run. */
export function workerContexts({ clock, timeLeft }: Pick<Work, 'clock' | 'timeLeft'>): WorkerContexts {
  const table = randomUUID()
  const settings = remembered(readOrganisation, { ms: REMEMBERS_MS })
  return (store, { actorId, actor, requestId }) => {
    const organisation = () => settings.read(store, { now: clock(), table })
    const context: Context = {
      store,
      now: clock().toISOString(),
      clock,
      newId: randomUUID,
      newSecret: noSeals,
      actorId,
      actor: async () => actor,
      freshContext: () => context,
      organisation,
      organisationNow: () => settings.readNow(store, { now: clock(), table }),
      fromMemory: (memory) => memory.read(store, { now: clock(), table }),
      acceptLanguage: undefined,
      noteLanguage: () => {},
      noteRulesPending: () => {},
      shard: randomShard(),
      timeLeft,
      requestId,
      seals: noSeals,
      pageEnds: boundedMap(1),
    }
    return context
  }
}
