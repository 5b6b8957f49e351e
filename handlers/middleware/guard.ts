import type { Store } from '../../domain/table/store.ts'

/**
 * The store of an operation whose caller is still being checked. What the operation asks of it is one of three things:
 *
 * - A read of the first wave: one that begins before the process turns to anything else, so it depends on no answer. It runs
 *   at once and travels with the reads of the check, which saves a round trip.
 * - A later read: it waits for the verdict. So a caller without rights costs one wave of reads, whatever the endpoint.
 * - A write: it always waits for the verdict.
 *
 * If the verdict is a refusal, what waits for it fails with it. Where a refusal is likely (`isDoubtful`), the first wave waits,
 * too.
 */
export function guarded(store: Store, verdict: Promise<unknown>, isDoubtful = false): Store {
  let isFirstWave = !isDoubtful
  // The next turn of the event loop: by then all promises that need no answer have settled.
  setImmediate(() => {
    isFirstWave = false
  })
  const reading =
    <In, Out>(read: (what: In) => Promise<Out>) =>
    async (what: In): Promise<Out> => {
      if (!isFirstWave) await verdict
      return read(what)
    }
  const writing =
    <In extends unknown[]>(write: (...what: In) => Promise<void>) =>
    async (...what: In): Promise<void> => {
      await verdict
      return write(...what)
    }
  return {
    get: reading(store.get),
    getSoon: reading(store.getSoon),
    query: reading(store.query),
    write: writing(store.write),
    bulk: writing(store.bulk),
  }
}
