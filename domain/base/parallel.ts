// Many pieces of work: some at a time, or in chunks.

/**
 * Does `work` for each item of a sequence, at most `limit` at a time; `nth` counts from 0. After a failure it starts no more
 * work, waits until the work that it has started is over, and throws the first error.
 */
export async function inParallel<T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T, nth: number) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  let nth = 0
  let failure: { error: unknown } | undefined
  const worker = async (): Promise<void> => {
    while (!failure) {
      const next = left.next()
      if (next.done) return
      await work(next.value, nth++).catch((error: unknown) => {
        failure ??= { error }
      })
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  if (failure) throw failure.error
}

/** A sequence in chunks of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
