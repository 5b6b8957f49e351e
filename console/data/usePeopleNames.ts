import { useEffect, useState } from 'preact/hooks'
import { useMe } from '../shell/me.ts'
import { api } from './api.ts'

/** Names by id, for as long as the page is open. */
const known = new Map<string, string>()
const atOnce = 100

/** The names of people by their ids. People who are gone, or cannot be read, are missing. */
export function usePeopleNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const me = useMe()
  const [, setCount] = useState(0)
  const missing = me.features.people_directory ? [...new Set(ids)].filter((id) => !known.has(id)).slice(0, atOnce) : []
  const key = missing.join(',')
  useEffect(() => {
    if (key === '') return
    const ending = new AbortController()
    const params = { query: { id: key.split(',') } }
    api.GET('/api/users/v4/users', { params, signal: ending.signal }).then(
      ({ data }) => {
        for (const id of key.split(',')) known.set(id, id)
        for (const { id, first_name, last_name } of data.users) known.set(id, `${first_name} ${last_name}`.trim() || id)
        setCount(known.size)
      },
      // A name is a help, not what was asked for: its id stays.
      () => {},
    )
    return () => ending.abort()
  }, [key])
  return known
}
