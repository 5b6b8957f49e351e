// Types and helpers for the API reference: one file per feature describes the contracts of schemas/<feature>.ts.
// Handlers never load this folder, so texts and examples do not enlarge bundles.
import type { Contract, Schema } from '../contract.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * The description of one property or parameter: a text and an example. For an object or a list of objects, its properties are
 * described instead of the example. Its example is made of theirs; if these do not fit together, a separate one comes last.
 */
export type Described<S> = S extends { properties: object }
  ? readonly [text: string, properties: Fields<S>, example?: Json]
  : S extends { items: infer I extends { properties: object } }
    ? readonly [text: string, properties: Fields<I>, example?: Json]
    : readonly [text: string, example: Json]

/** All properties of an object schema, each described: one that is missing or unknown does not compile. */
export type Fields<S> = S extends { properties: infer P } ? { readonly [K in keyof P]: Described<P[K]> } : never

/** The same where the schema is not known to the compiler, as the builder reads it. */
export type AnyFields = { readonly [name: string]: readonly [text: string, of: Json | AnyFields, example?: Json] }

type BodyFields<C extends Contract> = C['item'] extends Schema
  ? { readonly items: readonly [text: string, properties: Fields<C['item']>] }
  : Fields<C['body']>

type AnswerFields<C extends Contract> = Fields<Exclude<C['answers'][keyof C['answers']], null>>

/** A request that works in the demo organisation, with the examples of path and query. */
export type Example = {
  /** What the example shows; names it in the document. Once per operation. */
  title: string
  /** The status of its answer. */
  status: number
  body?: Json
}

/** The reference of one operation. */
type OperationText<C extends Contract> = {
  /** Markdown: what it does, the states it allows, what else changes, what repeating does, limits. */
  text: string
  /** The meaning of each success status. */
  answers: { readonly [S in keyof C['answers']]: string }
  /** Requests in the order in which they are run. Not needed if there is one status and no body. */
  examples?: readonly Example[]
  /** Query parameters of the examples; all others are only described. */
  send?: { readonly [K in keyof Fields<C['query']>]?: Json }
} & (C['path'] extends Schema ? { path: Fields<C['path']> } : unknown) &
  (C['query'] extends Schema ? { query: Fields<C['query']> } : unknown) &
  (C['body'] extends Schema ? { body: BodyFields<C>; examples: readonly Example[] } : unknown) &
  (C['answers'][keyof C['answers']] extends null ? unknown : { answer: AnswerFields<C> })

/** The same where the contract is not known to the compiler. */
export type AnyOperation = {
  text: string
  answers: Readonly<Record<string, string>>
  examples?: readonly Example[]
  send?: Readonly<Record<string, Json>>
  path?: AnyFields
  query?: AnyFields
  body?: AnyFields
  answer?: AnyFields
}

type Contracts<M> = { [K in keyof M as M[K] extends Contract ? K : never]: Extract<M[K], Contract> }

/** The reference of some operations of a module of contracts. */
export const operations = <M extends object, K extends keyof Contracts<M>>(
  _module: M,
  some: { readonly [N in K]: OperationText<Contracts<M>[N]> },
) => some

/** The reference of a module of contracts: every operation in it, in the order in which the examples are run. */
export const describe = <M extends object>(
  _module: M,
  all: { readonly [N in keyof Contracts<M>]: OperationText<Contracts<M>[N]> },
): Readonly<Record<string, AnyOperation>> => all as never

/** Descriptions of a record's properties, checked against its schema by the compiler. */
export const fieldsOf =
  <S extends object>(_schema: S) =>
  <const F extends Fields<S>>(fields: F): Fields<S> & F =>
    fields as never

/** A text of several lines without their indentation. */
export const prose = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
