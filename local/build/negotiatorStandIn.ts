// In a file of its own, so that functions without languages do not carry it.
// @ts-expect-error: the package's types know only its main file
import preferredLanguages from 'negotiator/lib/language.js'

/** Of what a client prefers the service asks for languages only. */
export default class Negotiator {
  readonly #accepted: string | undefined
  constructor({ headers }: { headers: { 'accept-language'?: string } }) {
    this.#accepted = headers['accept-language']
  }
  languages(): string[] {
    return preferredLanguages(this.#accepted)
  }
}
