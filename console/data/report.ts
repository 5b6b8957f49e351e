import { SignInError } from '../session/signInError.ts'
import { RollcallError } from './api.ts'

let isRefused = false
const listeners = new Set<() => void>()

/** Whether the service has refused this person because they are not active here: locked while they were at work, say. */
export const isNotActive = (): boolean => isRefused
export const onNotActive = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Takes note of a problem of any call. A fault of the console itself is named to developers; what the service answers is shown to the
 * person, who can copy its request.
 */
export function report(problem: unknown): void {
  if (problem instanceof RollcallError) noteRefusal(problem)
  else if (!(problem instanceof SignInError)) console.error(problem)
}

function noteRefusal({ error_code }: RollcallError): void {
  if (error_code !== 'ACTOR_NOT_ACTIVE') return
  isRefused = true
  for (const listener of listeners) listener()
}
