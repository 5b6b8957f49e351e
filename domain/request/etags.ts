import { entityTags } from '../../schemas/patterns.ts'
import { AppError, refuse } from '../base/errors.ts'
import { canonicalJson, sha256 } from '../base/text.ts'
import type { Answer, Context, ETags } from './context.ts'

// A condition that a caller can add to a call: the record is unchanged since they read it (ETag, If-Match, If-None-Match).

/*
 * The version of a record is `<record>.<answer>`. The first part is a hash of the record's own fields: changes compare
 * it. The second is a hash of the answer, which also shows texts of other records, counts and permitted actions.
 */

/** The tags of a header or of `if_match`, without quotes and without the `W/` of proxies. Its form must be valid. */
export const etagsIn = (text: string): ETags =>
  // Stryker disable next-line StringLiteral: between two quotes there is always a text
  text.trim() === '*' ? 'any' : [...text.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)

const wellFormed = new RegExp(entityTags.pattern, 'u')

/** The tags of a header; undefined if they are malformed. */
export const readTagList = (header: string): ETags | undefined =>
  wellFormed.test(header) ? etagsIn(header) : undefined

/** 96 bits. */
const LENGTH = 16

const digest = (value: unknown): string => sha256(canonicalJson(value)).slice(0, LENGTH)

/** The first part of a record's tags, which changes compare. */
export const recordTag = (own: object): string => digest(own)

/** The tag of the one record that is answered; undefined for all other answers. */
export const etagOf = ({ own, body }: Answer<unknown>): string | undefined => own && `"${digest(own)}.${digest(body)}"`

/** Whether a caller who names these tags has this very answer already. */
export const isNamed = (tags: ETags | undefined, etag: string): boolean =>
  tags !== undefined && (tags === 'any' || tags.includes(etag.slice(1, -1)))

type Expecting = Pick<Context, 'ifMatch'>

/** Whether a record has a version that the caller accepts. */
function isExpected({ ifMatch }: Expecting, own: object): boolean {
  if (ifMatch === undefined || ifMatch === 'any') return true
  const record = digest(own)
  return ifMatch.some((tag) => tag.split('.', 1)[0] === record)
}

/**
 * Refuses to delete a record whose version the caller does not accept. Call it before all rules, with the record just
 * read.
 */
export function requireExpected(context: Expecting, own: object): void {
  if (!isExpected(context, own)) throw refuse('PRECONDITION_FAILED')
}

/**
 * The record that `decide` makes of the one just read. A record whose version the caller does not accept is not
 * changed. A call that changes nothing succeeds all the same: it may be the repetition of a call whose answer was lost.
 */
export function changeIfMatch<T extends object>(
  context: Expecting,
  before: T,
  decide: () => T,
  own: object = before,
): T {
  if (isExpected(context, own)) return decide()
  try {
    if (decide() === before) return before
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  throw refuse('PRECONDITION_FAILED')
}
