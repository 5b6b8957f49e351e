/** The time of a read and its table: a value that was read from one table must not be used for another. */
export type ReadPoint = { now: Date; table: string }

type Keeping<T> = {
  /** How long a value is remembered, by the wall clock. */
  ms: number
  /** Which values are remembered; all by default. */
  isKept?: (value: T) => boolean
}

/** A value that a process reads from its table and remembers for a while, so that not every call reads it. */
export function remembered<Source, T>(read: (source: Source) => Promise<T>, { ms, isKept = () => true }: Keeping<T>) {
  let last: { value: T; at: number; table: string } | undefined
  const lastWithin = ({ now, table }: ReadPoint, longest: number) =>
    last?.table === table && Math.abs(now.getTime() - last.at) < longest ? last : undefined
  const readNow = async (source: Source, { now, table }: ReadPoint): Promise<T> => {
    const value = await read(source)
    // The age counts from before the read, so a value is never older than its age says.
    last = isKept(value) ? { value, at: now.getTime(), table } : undefined
    return value
  }
  return {
    /** The remembered value; read from the table if it is too old. */
    read: async (source: Source, point: ReadPoint): Promise<T> => {
      const recent = lastWithin(point, ms)
      return recent ? recent.value : readNow(source, point)
    },
    /** The value from the table. It is remembered. */
    readNow,
    /** Whether `read` would need no request. */
    isKnown: (point: ReadPoint): boolean => lastWithin(point, ms) !== undefined,
    /** Forgets the value, as it has turned out to be old. */
    forget: (): void => {
      last = undefined
    },
    /** The remembered value, up to twice as old as `read` accepts. */
    last: (point: ReadPoint): T | undefined => lastWithin(point, 2 * ms)?.value,
  }
}
export type Remembered<Source, T> = ReturnType<typeof remembered<Source, T>>

/** A map of at most `most` entries: when it is full, a new entry replaces the oldest one. */
export function boundedMap<K, V>(
  most: number,
): Pick<Map<K, V>, 'get' | 'delete'> & { set: (key: K, value: V) => void } {
  const map = new Map<K, V>()
  return {
    get: (key) => map.get(key),
    delete: (key) => map.delete(key),
    set: (key, value) => {
      map.delete(key)
      const [oldest] = map.keys()
      if (map.size >= most && oldest !== undefined) map.delete(oldest)
      map.set(key, value)
    },
  }
}

/** Makes a value at the first call, and keeps it. */
export function lazily<T>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}

/** Runs once and remembers the outcome; after a failure it runs again. */
export function lazilyAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
