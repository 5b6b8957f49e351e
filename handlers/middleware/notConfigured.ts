/** A function lacks what its environment has to tell it: the fault of whoever deployed it, and named in the log. */
export class NotConfigured extends Error {
  override name = 'NotConfigured'
  readonly missing: readonly string[]
  constructor(missing: readonly string[]) {
    super(`${missing.join(' and ')} must be set`)
    this.missing = missing
  }
}
