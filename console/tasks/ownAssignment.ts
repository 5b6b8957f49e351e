import { api } from '../data/api.ts'
import type { Assignment } from './taskQuery.ts'

/** The signed-in person's own assignment of a task that they got; undefined if they did not get it. */
export async function ownAssignment(taskId: string, signal: AbortSignal): Promise<Assignment | undefined> {
  const query = {
    distribution_kind: ['RECEIVED' as const, 'PERSONAL' as const],
    // A task that is read for the first time has just been opened, so it comes first.
    sort: ['UPDATED_AT_DESC' as const],
    body_format: ['PLAIN' as const],
    page_limit: 100,
  }
  for await (const { assignments } of api.pages('/api/tasks/v4/tasks/assignments', { signal, params: { query } })) {
    const found = assignments.find(({ task_id }) => task_id === taskId)
    if (found) return found
  }
  return undefined
}
