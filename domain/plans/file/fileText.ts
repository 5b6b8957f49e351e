/** The bytes of a file: how many, and those from an offset on. */
export type FileBytes = { size: number; read: (from: number) => AsyncIterable<Uint8Array> }

export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

/** How a file is encoded, and the length of its byte order mark: without a mark it is UTF-8. `head` are its first bytes. */
export function encodingOf([first, second, third]: Uint8Array): { encoding: Encoding; mark: number } {
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'UTF-8', mark: 3 }
  if (first === 0xff && second === 0xfe) return { encoding: 'UTF-16LE', mark: 2 }
  if (first === 0xfe && second === 0xff) return { encoding: 'UTF-16BE', mark: 2 }
  return { encoding: 'UTF-8', mark: 0 }
}

/**
 * The text of a file as UTF-8. `offsetAt`: where in the file a number of bytes of this UTF-8 ends; asked for with growing numbers,
 * each the end of a character.
 */
type Utf8 = { chunks: AsyncIterable<Buffer>; offsetAt: (end: number) => number }

/** Small pieces, as a parser keeps all rows of a piece at once. */
const PIECE = 64 * 1024

/** The text of a file from an offset on, which is the beginning of a character. */
export function utf8From(file: FileBytes, encoding: Encoding, from: number): Utf8 {
  const pieces = piecesOf(file.read(from))
  return encoding === 'UTF-8' ? { chunks: pieces, offsetAt: (end) => from + end } : fromUtf16(pieces, encoding, from)
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of chunks) {
    const chunk = Buffer.from(buffer, byteOffset, length)
    for (let start = 0; start < length; start += PIECE) yield chunk.subarray(start, start + PIECE)
  }
}

function fromUtf16(pieces: AsyncIterable<Buffer>, encoding: Encoding, from: number): Utf8 {
  /** What was made, and is not passed yet. */
  const made: Buffer[] = []
  let [passed, offset] = [0, from]
  // Not StringDecoder, which loses characters that are cut in two. What is no character becomes U+FFFD, of the same size.
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  const add = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) made.push(bytes)
    return bytes
  }
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of pieces) yield add(decoder.decode(piece, { stream: true }))
    yield add(decoder.decode())
  }
  const offsetAt = (end: number): number => {
    while (passed < end) {
      const next = made.shift() as Buffer
      const part = next.subarray(0, end - passed)
      if (part.length < next.length) made.unshift(next.subarray(part.length))
      passed += part.length
      offset += 2 * part.toString().length
    }
    return offset
  }
  return { chunks: chunks(), offsetAt }
}
