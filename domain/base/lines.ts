const NEWLINE = 10

/** Where a line begins: the bytes and lines before it. */
export type LinePosition = { offset: number; line: number }

/**
 * The lines of a file in UTF-8, each with its number and the offset of its end. `chunks` are the bytes from a position on. Throws
 * what `tooLong` returns for a line of more than `longest` bytes.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  from: LinePosition,
  { longest, tooLong }: { longest: number; tooLong: (line: number) => Error },
): AsyncGenerator<{ text: string; line: number; end: number }> {
  let { offset, line } = from
  let rest = Buffer.alloc(0)
  const textOf = (bytes: Buffer): string => {
    if (bytes.length > longest) throw tooLong(line + 1)
    // Some editors write a byte order mark first.
    return bytes.toString('utf8').replace(/^\uFEFF/, '')
  }
  for await (const chunk of chunks) {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      offset += end + 1 - start
      yield { text: textOf(bytes.subarray(start, end)), line: ++line, end: offset }
      start = end + 1
    }
    rest = Buffer.from(bytes.subarray(start))
    if (rest.length > longest) throw tooLong(line + 1)
  }
  if (rest.length > 0) yield { text: textOf(rest), line: ++line, end: offset + rest.length }
}
