import { useEffect, useState } from 'preact/hooks'

/** A value that lives outside of the components. `subscribe` calls back when it has changed, and returns how to stop. */
export function useStore<T>(subscribe: (changed: () => void) => () => void, get: () => T): T {
  const [value, setValue] = useState(get)
  useEffect(() => {
    const update = () => setValue(get)
    // It may have changed before this ran.
    update()
    return subscribe(update)
  }, [subscribe])
  return value
}
