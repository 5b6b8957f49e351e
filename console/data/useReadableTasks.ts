import { useMe } from '../shell/me.ts'
import { api } from './api.ts'
import { useRead } from './useRead.ts'

/** So many pages of a hundred tasks are looked through, those that have changed last first. */
const mostPages = 3
const none: ReadonlySet<string> = new Set()

/**
 * Of these tasks those that are still there for the reader: only authors and recipients can read one. They are looked for in the list, as
 * reading a task itself opens it.
 */
export function useReadableTasks(ids: readonly string[]): ReadonlySet<string> {
  const { features } = useMe()
  const wanted = [...new Set(ids)].toSorted()
  const key = features.tasks && wanted.length > 0 ? `tasks ${wanted.join()}` : null
  const { data = none } = useRead(key, async (signal) => {
    const query = { sort: ['UPDATED_AT_DESC' as const], page_limit: 100, body_format: ['PLAIN' as const] }
    const missing = new Set(wanted)
    let pages = 0
    for await (const { tasks } of api.pages('/api/tasks/v4/tasks', { signal, params: { query } })) {
      for (const { id } of tasks) missing.delete(id)
      if (missing.size === 0 || ++pages === mostPages) break
    }
    return new Set(wanted.filter((id) => !missing.has(id)))
  })
  return data
}
