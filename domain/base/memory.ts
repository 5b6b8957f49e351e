/** When and of which table something is asked: what is remembered of one table says nothing about another. */
export type Moment = { now: Date; table: string }

type Keeping<T> = {
  /** How long a value is remembered, by the wall clock. */
  ms: number
  /** Which values are remembered; all by default. */
  isKept?: (value: T) => boolean
}

/** What a process has read from its table and remembers for a while, so that not every call reads it. */
export function remembered<Source, T>(read: (source: Source) => Promise<T>, { ms, isKept = () => true }: Keeping<T>) {
  let last: { value: T; at: number; table: string } | undefined
  const lastWithin = ({ now, table }: Moment, longest: number) =>
    last?.table === table && Math.abs(now.getTime() - last.at) < longest ? last : undefined
  const readNow = async (source: Source, { now, table }: Moment): Promise<T> => {
    const value = await read(source)
    // The age counts from before the read: a value is never older than it seems.
    last = isKept(value) ? { value, at: now.getTime(), table } : undefined
    return value
  }
  return {
    /** The value as it is remembered, or from the table. */
    read: async (source: Source, moment: Moment): Promise<T> => {
      const known = lastWithin(moment, ms)
      return known ? known.value : readNow(source, moment)
    },
    /** The value from the table. It is remembered. */
    readNow,
    /** Whether `read` would ask nothing of the table. */
    isKnown: (moment: Moment): boolean => lastWithin(moment, ms) !== undefined,
    /** Forgets the value: it has turned out to be old. */
    forget: (): void => {
      last = undefined
    },
    /** The value, remembered for twice the time. */
    last: (moment: Moment): T | undefined => lastWithin(moment, 2 * ms)?.value,
  }
}
export type Remembered<Source, T> = ReturnType<typeof remembered<Source, T>>

/** A map that holds the newest `most` entries: an older one goes when a new one comes. */
export function newestOnly<K, V>(
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
