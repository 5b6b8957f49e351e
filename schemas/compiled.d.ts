// Types of the files that `npm run compile` writes to schemas/compiled, so that TypeScript passes before the first run.
// TypeScript takes the most specific pattern, so routes, directory and bodies have separate types.

declare module '../../schemas/compiled/*' {
  import type { ErrorObject } from 'ajv'

  type Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null }
  /** Checks those parts of `{ path, query, body }` that have a schema in the contract. */
  const validate: Validator
  export default validate
  /** Checks one item; only for batches. */
  export const item: Validator
  /** The path to read a created record; only for creations. */
  export const location: string
  /** The part of the contract that functions need. */
  export const contract: import('./contract.ts').CompiledContract
}

declare module '../../schemas/compiled/userBodies*' {
  import type { ErrorObject } from 'ajv'

  type Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null }
  type Compiled = { default: Validator; contract: import('./contract.ts').CompiledContract }
  export const createUser: Compiled
  export const updateUser: Compiled
}

declare module '../../schemas/compiled/groupBodies*' {
  import type { ErrorObject } from 'ajv'

  type Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null }
  type Compiled = { default: Validator; contract: import('./contract.ts').CompiledContract }
  export const createGroup: Compiled
  export const updateGroup: Compiled
}

declare module '../../schemas/compiled/routes*' {
  /** Method and path of every endpoint, from serverless.yml. */
  const routes: readonly { name: string; method: string; path: string }[]
  export default routes
}

declare module '../../schemas/compiled/directory*' {
  import type { ErrorObject } from 'ajv'

  /** Checks one record of a section of an import file: the section with the same name. */
  type Judge = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null }
  export const organisation: Judge
  export const roles: Judge
  export const user_groups: Judge
  export const attribute_definitions: Judge
  export const channels: Judge
  export const channel_user_groups: Judge
  export const user_group_rules: Judge
  export const users: Judge
  export const user_group_assignments: Judge
  export const channel_assignments: Judge
  export const tasks: Judge
  export const task_assignments: Judge
}
