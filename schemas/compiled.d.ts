// The types of what `npm run compile` writes to schemas/compiled, also while it is not there yet.
// TypeScript takes the pattern that fits best, so the routes have their own type.

declare module '../../schemas/compiled/*' {
  import type { ErrorObject } from 'ajv'

  type Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null }
  /** Checks `{ path, query, body }`, those of them that the contract has a schema for. */
  const validate: Validator
  export default validate
  /** Of a batch endpoint only: checks one item. */
  export const item: Validator
}

declare module '../../schemas/compiled/routes*' {
  /** Method and path of every endpoint, from serverless.yml. */
  const routes: readonly { name: string; method: string; path: string }[]
  export default routes
}
