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
  /** Of what creates a record that can be read: the path of that. */
  export const location: string
}

declare module '../../schemas/compiled/routes*' {
  /** Method and path of every endpoint, from serverless.yml. */
  const routes: readonly { name: string; method: string; path: string }[]
  export default routes
}

declare module '../../schemas/compiled/api*' {
  // biome-ignore lint/suspicious/noExplicitAny: until `npm run types` has been run, nothing is known of the API
  type Anything = any
  type Json = { content: { 'application/json': Anything } }
  type Operation = { parameters: Anything; requestBody?: Json; responses: { 200: Json; 400: Json } }
  /** Every path of the API: what it takes and answers. */
  export type paths = Record<string, Record<'get' | 'post' | 'patch' | 'delete', Operation>>
}

declare module '../../schemas/compiled/directory*' {
  import type { SchemaFault } from '../../domain/request/faultText.ts'

  /** Checks one record of the section of an import file that it is named after. */
  type Judge = ((data: unknown) => boolean) & { errors?: SchemaFault[] | null }
  export const organisation: Judge
  export const roles: Judge
  export const user_groups: Judge
  export const attribute_definitions: Judge
  export const channels: Judge
  export const channel_user_groups: Judge
  export const users: Judge
  export const user_group_assignments: Judge
  export const channel_assignments: Judge
  export const tasks: Judge
  export const task_assignments: Judge
}
