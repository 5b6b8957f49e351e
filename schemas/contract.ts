import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { ErrorCode } from './errors.ts'
import type { InOrder } from './inOrder.ts'
import type { Scope } from './scopes.ts'

/** A JSON Schema as a plain object. */
export type Schema = Exclude<JSONSchema, boolean>

/**
 * An error code for a fault of the input: `at` is matched against the property's dotted path, e.g.
 * `attributes.3.value`.
 */
export type FaultCode = { at: RegExp; keyword: string; value?: string; code: ErrorCode }

/**
 * The contract of an endpoint: its input, its answers, who may call, how it can fail. Method and path are in
 * serverless.yml.
 */
export type Contract = {
  /** One name everywhere: function in serverless.yml, contract, handler, operation. */
  name: string
  title: string
  tag: string
  /** Who may call: an active user with role ADMIN, or any active user. */
  access: 'administrator' | 'user'
  /** Service tokens with one of these scopes may call, too; of a list, with all of its scopes. Empty: none may. */
  scopes: readonly (Scope | readonly Scope[])[]
  /** A feature of the organisation that must be on, and the error while it is off. */
  feature?: { name: 'tasks' | 'user_deactivation' | 'people_directory'; off: ErrorCode }
  path?: Schema
  query?: Schema
  /** Query parameters whose values may have any letter case: they are read as upper case. */
  anyCase?: readonly string[]
  body?: Schema
  /** The body is bytes in place of JSON, and may come compressed. */
  bytes?: true
  /** Schema of one item of a batch. Each is validated on its own, so `body` accepts any item. */
  item?: Schema
  /** Paths to the parts of an item's id, which the answer repeats; without it, the id is the item's `id`. */
  itemId?: Readonly<Record<string, readonly string[]>>
  /** Bodies may also come as application/merge-patch+json (RFC 7396). */
  mergePatch?: true
  /** Body properties whose surrounding white space is dropped before validation; in localized texts, of each text. */
  trims?: readonly string[]
  faultCodes?: readonly FaultCode[]
  /** The answer is one record: the header ETag names its version. */
  versioned?: true
  /** Changes one record, and takes If-Match; of a batch, each item takes `if_match`, and its result has an `etag`. */
  conditional?: true
  /** Creates one record, and takes an Idempotency-Key. A repetition gets this error if the record is gone by then. */
  repeatable?: ErrorCode
  /** Status → schema of the body; null for no body. */
  answers: Readonly<Record<number, Schema | null>>
  /** The media type of the text, in UTF-8, that a caller may ask for in place of the JSON of a 200. */
  text?: string
  /** Error codes beyond `commonErrors`. */
  errors: readonly ErrorCode[]
  experimental?: true
}

/** The part of a contract that functions need. `npm run compile` writes it, with the validators of path, query and body. */
export type CompiledContract = Omit<Contract, 'title' | 'tag' | 'answers' | 'errors' | 'experimental'> & {
  /** By status: puts the properties of an answer in the order of its schema. */
  order?: Readonly<Record<number, InOrder>>
}

type Part<C extends Contract, K extends 'path' | 'query' | 'body'> = C[K] extends Schema
  ? FromSchema<C[K]>
  : Record<never, never>

/** The validated input of an endpoint's operation. */
export type ContractInput<C extends Contract> = {
  path: Part<C, 'path'>
  query: Part<C, 'query'>
  body: C['bytes'] extends true ? Uint8Array : Part<C, 'body'>
}

/** One validated item of a batch endpoint. */
export type ContractItem<C extends Contract> = C['item'] extends Schema ? FromSchema<C['item']> : never

/** Marks an object as a contract while keeping its literal type. */
export const contract = <const C extends Contract>(it: C): C => it

type Properties = Readonly<Record<string, Schema>>

/** An object schema that refuses unknown properties. */
export const object = <const P extends Properties, const R extends readonly (keyof P & string)[]>(
  properties: P,
  required: R,
): { type: 'object'; properties: P; required: R; additionalProperties: false } => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** The same schema with null allowed: on creation null means absent, in a patch it clears the field. */
export const nullable = <const T extends string, const S extends { type: T }>(
  schema: S,
): Omit<S, 'type'> & { type: readonly [S['type'], 'null'] } => ({ ...schema, type: [schema.type, 'null'] })

/** Codes that every endpoint can answer with. */
export const commonErrors = [
  'VALIDATION_ERROR',
  'UNAUTHENTICATED',
  'ACTOR_NOT_ACTIVE',
  'PERMISSION_MISSING',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'CONCURRENT_MODIFICATION',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** All codes that an endpoint can answer with. */
export const codesOf = ({ errors, conditional, item, repeatable }: Contract): ErrorCode[] => [
  ...errors,
  ...(repeatable ? ([repeatable, 'IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ...(conditional && !item ? (['PRECONDITION_FAILED'] as const) : []),
  ...commonErrors,
]
