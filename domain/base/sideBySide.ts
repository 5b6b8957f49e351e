/**
 * Works through a sequence, `atOnce` at a time. After a failure it starts nothing new, and throws once all that was
 * started has ended: then nothing runs beside what the caller does next.
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

/** A sequence in slices of at most `size`. */
export function* slices<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
