import { SignInError } from '../session/signInError.ts'
import { RollcallError } from './api.ts'

/** Names a fault of the console itself to developers. What the service answers is shown to the person, who can copy its request. */
export function report(problem: unknown): void {
  if (!(problem instanceof RollcallError) && !(problem instanceof SignInError)) console.error(problem)
}
