import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Event } from './call.ts'
import { contentType, encodingOf, MEBIBYTE, sentBytes, type UnusableBody, unreadable } from './readBody.ts'

// Bodies that are no JSON: the parts of the files of plans.

type BytesBody = { value?: never; input: () => Uint8Array } | UnusableBody

/** The most bytes of a part of a file, as it is sent and when it is unpacked. */
const MOST_SENT = 4
const MOST_UNPACKED = 32

/** The bytes of a body that is no JSON, unpacked; or the reason why they cannot be used. */
export async function readBytes(event: Event): Promise<BytesBody> {
  const bytes = sentBytes(event)
  if (bytes.length > MOST_SENT * MEBIBYTE)
    return { refused: 'PAYLOAD_TOO_LARGE', detail: `The body is larger than ${MOST_SENT} MiB` }
  const { type } = contentType(event.headers?.['content-type'])
  if (!['', 'application/octet-stream'].includes(type))
    return { refused: 'UNSUPPORTED_MEDIA_TYPE', detail: 'The body must be application/octet-stream' }
  const encoding = encodingOf(event)
  if (bytes.length === 0) return unreadable('must be given')
  if (['', 'identity'].includes(encoding)) return { input: () => bytes }
  if (encoding === 'gzip') return unpacked(bytes)
  return { refused: 'UNSUPPORTED_MEDIA_TYPE', detail: 'A body must be compressed by gzip, or not at all' }
}

/** Unpacks no more than is allowed, whatever else there may be. */
async function unpacked(bytes: Buffer): Promise<BytesBody> {
  try {
    const found = await promisify(gunzip)(bytes, { maxOutputLength: MOST_UNPACKED * MEBIBYTE })
    return found.length === 0 ? unreadable('must be given') : { input: () => found }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? { refused: 'PAYLOAD_TOO_LARGE', detail: `The body is larger than ${MOST_UNPACKED} MiB when it is unpacked` }
      : unreadable('must be compressed by gzip, as content-encoding says')
  }
}
