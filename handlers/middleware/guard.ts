import type { Store } from '../../domain/table/store.ts'

/**
 * The store of an operation while its caller is being checked. It has three kinds of requests:
 *
 * - A read of the first wave begins before the operation waits for any answer. It is sent at once, with the reads of the
 *   check, which saves a round trip.
 * - A later read waits for the verdict. So a caller without rights costs one wave of reads, whatever the endpoint.
 * - A write always waits for the verdict.
 *
 * If the verdict is a refusal, all that wait for it fail with it. If a refusal is likely, the first wave waits, too.
 */
export function guarded(store: Store, verdict: Promise<unknown>, refusalIsLikely = false): Store {
  let isFirstWave = !refusalIsLikely
  // At the next turn of the event loop all promises that need no answer have settled.
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
