import { useEffect, useState } from 'preact/hooks'
import { useMe } from '../shell/me.ts'
import { api } from './api.ts'
import { readNames } from './readNames.ts'

/** Names by id, for as long as the page is open. */
const known = new Map<string, string>()
const atOnce = 100

/** The names of people by their ids. People who are gone, or cannot be read, are missing. */
export function usePeopleNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const me = useMe()
  const [, setCount] = useState(0)
  const key = [...new Set(ids)]
    .filter((id) => !known.has(id))
    .slice(0, atOnce)
    .join(',')
  useEffect(() => {
    if (key === '') return
    const ending = new AbortController()
    const asked = key.split(',')
    readNames(api, asked, me, ending.signal).then(
      (names) => {
        for (const id of asked) known.set(id, names.get(id) ?? id)
        setCount(known.size)
      },
      // A name is a help, not what was asked for: its id stays.
      () => {},
    )
    return () => ending.abort()
  }, [key])
  return known
}
