import { MIMEType } from 'node:util'
import { type CodedFault, faultAt } from '../../domain/base/errors.ts'
import { damage, damagedAt, normalized } from '../../domain/request/bodies.ts'
import type { Compiled } from '../../domain/request/faults.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event } from './call.ts'

// The bodies of requests. Functions without a body load none of it.

export const MEBIBYTE = 1024 * 1024

/** Why a body cannot be used. */
export type UnusableBody =
  | { refused: 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE'; detail?: string }
  | { unreadable: CodedFault[] }

/**
 * Reads the body of a request: `readJson`, `readBatch` or `readBytes`, as the contract has it. `value` is validated. `input`: what
 * the operation gets once the request is valid, if that is not `value`.
 */
export type BodyReader = (event: Event, compiled: Compiled) => ReadBody | Promise<ReadBody>
type ReadBody = { value?: unknown; input?: () => object } | UnusableBody

/** The JSON body of an endpoint. */
export function readJson(event: Event, { contract }: Compiled): { value: unknown; input?: never } | UnusableBody {
  const body = sentJson(event, contract)
  return 'value' in body ? { value: normalized(body.value, contract) } : body
}

/** The same as it is sent. */
export const sentJson = (event: Event, { mergePatch }: CompiledContract): { value: unknown } | UnusableBody =>
  readBody(event, { also: mergePatch && 'application/merge-patch+json' })

const decoder = new TextDecoder()

/** Another media type of JSON that a body may have, and its largest size in mebibytes. */
type Accepted = { also?: string | undefined; mebibytes?: number }

/** The body of a request as it is sent. */
export const sentBytes = ({ body, isBase64Encoded }: Event): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')

/** How a body is compressed; '' if nothing says that it is. */
export const encodingOf = ({ headers }: Event): string => headers?.['content-encoding']?.trim().toLowerCase() ?? ''

/** The JSON body of a request, or the reason why it cannot be used. */
export function readBody(event: Event, { also = '', mebibytes = 1 }: Accepted = {}): { value: unknown } | UnusableBody {
  const bytes = sentBytes(event)
  if (bytes.length > mebibytes * MEBIBYTE)
    return { refused: 'PAYLOAD_TOO_LARGE', detail: `The body is larger than ${mebibytes} MiB` }
  if (!['', 'identity'].includes(encodingOf(event)))
    return { refused: 'UNSUPPORTED_MEDIA_TYPE', detail: 'A body must not be compressed' }
  const { type, charset } = contentType(event.headers?.['content-type'])
  if (!['', 'application/json', also].includes(type)) return { refused: 'UNSUPPORTED_MEDIA_TYPE' }
  if (!/^utf-?8$/i.test(charset))
    return { refused: 'UNSUPPORTED_MEDIA_TYPE', detail: 'The charset of a body must be utf-8' }
  if (bytes.length === 0) return unreadable('must be given')
  // Invalid UTF-8 becomes U+FFFD, as in gateways that pass bodies on as text.
  const text = decoder.decode(bytes)
  try {
    const value = JSON.parse(text)
    const damaged = damagedIn(text, value)
    return damaged.length > 0 ? unreadable(damage, damaged) : { value }
  } catch {
    return unreadable('must be JSON in UTF-8')
  }
}

/** A body that cannot be read. */
export const unreadable = (message: string, places: readonly string[] = ['body']): { unreadable: CodedFault[] } => ({
  unreadable: places.map((place) => faultAt('VALIDATION_ERROR', place, message)),
})

function damagedIn(text: string, value: unknown): string[] {
  const isPlain = text.includes('\ufffd')
  const places = isPlain || /\\ufffd/i.test(text) ? damagedAt(value) : []
  // If a key is there twice, `value` has only the last one, so the damaged text may be missing in it.
  return isPlain && places.length === 0 ? ['body'] : places.map((place) => place || 'body')
}

/**
 * Media type and charset of a body. Without a header: no type and UTF-8; with a malformed one: a type that is never
 * accepted.
 */
export function contentType(header: string | undefined): { type: string; charset: string } {
  if (!header?.trim()) return { type: '', charset: 'utf-8' }
  try {
    const { essence, params } = new MIMEType(header)
    return { type: essence, charset: params.get('charset') ?? 'utf-8' }
  } catch {
    return { type: 'malformed', charset: '' }
  }
}
