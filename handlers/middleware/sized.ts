import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { refuse } from '../../domain/base/errors.ts'
import type { Contract } from '../../schemas/contract.ts'
import type { Response } from './call.ts'

/** From this length on a text is worth compressing. */
const LARGE = 100_000
/** A function's answer may have 6 MB, in which its body is a JSON text: quotes and backslashes of it take two bytes. */
const MOST_BYTES = 6_000_000
/** No unit of a JavaScript string takes more. */
const MOST_PER_UNIT = 3

type Sized = Pick<Response, 'body' | 'isBase64Encoded' | 'headers'>
type Batch = { items: readonly { body?: unknown }[] }

/**
 * The body of an answer, of a size that can be answered: large ones are compressed for callers who take that. What is
 * too large all the same is refused, but for a batch: that has been done, so it only goes without some of the records.
 */
export async function sized(
  body: unknown,
  accepted: string | undefined,
  { item }: Pick<Contract, 'item'>,
): Promise<Sized> {
  const text = JSON.stringify(body)
  if (text.length < LARGE) return { body: text }
  const packed = takesGzip(accepted) ? (await promisify(gzip)(text)).toString('base64') : undefined
  if (packed && packed.length <= MOST_BYTES)
    return { body: packed, isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } }
  if (fits(text)) return { body: text }
  if (item) return { body: JSON.stringify(shortened(body as Batch)) }
  throw refuse(
    'PAYLOAD_TOO_LARGE',
    undefined,
    'The answer is larger than 6 MB: ask for less with page_limit, or take it compressed (Accept-Encoding: gzip)',
  )
}

/** Bytes of a text within a JSON text. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text))

const fits = (text: string): boolean => text.length * MOST_PER_UNIT <= MOST_BYTES || bytesOf(text) <= MOST_BYTES

/** Whether an Accept-Encoding header names gzip as something to be had. */
const takesGzip = (accepted = ''): boolean =>
  accepted
    .toLowerCase()
    .split(',')
    .some((one) => /^\s*(x-)?gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/.test(one))

/** A batch with as many of its items' records as fit. */
function shortened({ items }: Batch): Batch {
  const bare = items.map(({ body: _body, ...rest }) => rest)
  let room = MOST_BYTES - bytesOf(JSON.stringify(bare))
  return {
    items: items.map((item, n) => {
      room -= bytesOf(JSON.stringify(item))
      return room > 0 ? item : (bare[n] as typeof item)
    }),
  }
}
