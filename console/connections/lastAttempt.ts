// What the newest deliveries of a webhook say about it. Pure.
import type { Schemas } from '../data/api.ts'

type Delivery = Pick<Schemas['Delivery'], 'attempts' | 'next_attempt_at'>

export type LastAttempt = { hasWorked: boolean; status: number | null; next: string | null }

/** The last attempt of these deliveries, and when it is repeated; undefined before the first one. */
export function lastAttemptOf(deliveries: readonly Delivery[]): LastAttempt | undefined {
  const [last] = deliveries
    .flatMap(({ attempts, next_attempt_at: next }) => attempts.map(({ at, status }) => ({ at, status, next })))
    .toSorted((a, b) => b.at.localeCompare(a.at))
  if (!last) return undefined
  const hasWorked = last.status !== null && last.status >= 200 && last.status < 300
  return { hasWorked, status: last.status, next: last.next }
}
