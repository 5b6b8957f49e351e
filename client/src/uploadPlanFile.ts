import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Client } from './client.ts'
import { RollcallError } from './errors.ts'

/** What a file is read from: a file of a browser or a program, or its bytes in any pieces. */
export type PlanFile = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export type UploadOptions = {
  /** Gets after each part how many bytes of the file are sent. */
  onProgress?: (bytes: number) => void
  /** Ends the upload. */
  signal?: AbortSignal
}

/** What the check of a plan needs to find out whether anything of its file is missing. */
export type UploadedFile = { parts: number; bytes: number; sha256: string }

/** The service takes parts of 4 MiB. What cannot be compressed gets a little longer. */
const PART_BYTES = 4 * 1024 * 1023

/**
 * Sends a file to a plan that waits for one, part after part, compressed; of the file a part at a time is in memory. Returns what the call
 * that starts the check needs. Throws a `RollcallError`, also if the file is empty. A failed upload can be
 * repeated, as each part replaces the one before.
 */
export async function uploadPlanFile(
  client: Client,
  plan_id: string,
  file: PlanFile,
  { onProgress, signal }: UploadOptions = {},
): Promise<UploadedFile> {
  const sum = sha256.create()
  let [parts, bytes] = [0, 0]
  for await (const part of partsOf(file)) {
    parts += 1
    bytes += part.length
    sum.update(part)
    await client.PUT('/api/admin/organisations/v4/plans/{plan_id}/parts/{n}', {
      params: { path: { plan_id, n: String(parts) } },
      // No type of the document means bytes.
      body: (await packed(part)) as never,
      bodySerializer: (bytes: unknown) => bytes as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' },
      ...(signal ? { signal } : {}),
    })
    onProgress?.(bytes)
  }
  if (bytes === 0) throw new RollcallError(EMPTY, { detail: EMPTY, done: false })
  return { parts, bytes, sha256: bytesToHex(sum.digest()) }
}

const EMPTY = 'The file is empty'

/** The bytes of a file in parts of the same size; the last one may be smaller. */
async function* partsOf(file: PlanFile): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let part = new Uint8Array(PART_BYTES)
  let length = 0
  for await (let piece of piecesOf(file)) {
    while (piece.length > 0) {
      const fitting = piece.subarray(0, PART_BYTES - length)
      part.set(fitting, length)
      length += fitting.length
      piece = piece.subarray(fitting.length)
      if (length < PART_BYTES) continue
      yield part
      part = new Uint8Array(PART_BYTES)
      length = 0
    }
  }
  if (length > 0) yield part.subarray(0, length)
}

/** Not all browsers can iterate a stream. */
async function* piecesOf(file: PlanFile): AsyncGenerator<Uint8Array, void> {
  const stream = file instanceof Blob ? file.stream() : file
  if (!(stream instanceof ReadableStream)) return yield* stream
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}

const packed = async (part: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([part]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
