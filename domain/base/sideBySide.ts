/**
 * Works through a sequence, so many at once. After a failure nothing new is begun, and what has been begun is waited
 * for, so that whoever cleans up afterwards meets nobody.
 */
export async function sideBySide<T>(atOnce: number, all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]()
  let failure: { error: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done && !failure; next = left.next())
      await work(next.value).catch((error: unknown) => {
        failure ??= { error }
      })
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure) throw failure.error
}

/** A sequence in slices of at most so many. */
export function* slices<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
