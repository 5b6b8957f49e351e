/**
 * Why a sign-in failed, or why there is no token.
 * - DENIED: the person, or the issuer, said no.
 * - REFUSED: the issuer did not accept what we sent, or we its answer.
 * - ISSUER_UNREACHABLE: it did not answer; try again later.
 * - UNKNOWN_SIGN_IN: an answer to a sign-in that this tab has not begun.
 * - OTHER_PERSON: signed in again, but as somebody else than before.
 * - WINDOW_BLOCKED: the browser did not open the window.
 * - WINDOW_CLOSED: the window seems closed, and there is no answer.
 * - REPLACED: a later attempt took its place.
 * - SIGNED_OUT: nobody is signed in.
 */
export type SignInReason =
  | 'DENIED'
  | 'REFUSED'
  | 'ISSUER_UNREACHABLE'
  | 'UNKNOWN_SIGN_IN'
  | 'OTHER_PERSON'
  | 'WINDOW_BLOCKED'
  | 'WINDOW_CLOSED'
  | 'REPLACED'
  | 'SIGNED_OUT'

/** Decide by `reason`: texts that came with an address are never shown. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  readonly reason: SignInReason
  constructor(reason: SignInReason, options?: ErrorOptions) {
    super(reason, options)
    this.reason = reason
  }
}
