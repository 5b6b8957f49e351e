import type { Event } from './call.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What names a request in its answer and in the log: the caller's own id if that is a UUID, else the one that it has here. */
export function requestIdOf({ headers }: Pick<Event, 'headers'>, own: string): string {
  const given = headers?.['x-request-id']
  return given !== undefined && uuid.test(given) ? given : own
}
