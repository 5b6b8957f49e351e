import type { Writable } from 'node:stream'
import { type CsvError, type Options as ParserOptions, parse } from 'csv-parse'
import type { AppError } from '../../base/errors.ts'

/** The cells of a row, and where it ends, in bytes from the beginning of what is read. */
type CsvRow = { cells: string[]; end: number }

/** What is thrown for a row that is too long, and for a file that ends inside a quote. `before`: the rows before that row. */
export type CsvFaults = Readonly<Record<'tooLong' | 'endsInQuote', (before: number) => AppError>>

type Options = { separator: string; longest: number; faults: CsvFaults; most?: number }

/**
 * The rows of a CSV file. Empty lines are no rows. A quote that does not stand at the beginning of its cell, or is followed by more
 * text, is a character, as spreadsheets read it. With `most`, what follows so many rows is not looked at.
 */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { separator, longest, faults, most }: Options,
): AsyncGenerator<CsvRow> {
  /** Where the last row ends that the parser has read. */
  let lastEnd = 0
  const options: ParserOptions<CsvRow, string[]> = {
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longest,
    ...(most === undefined ? {} : { to: most }),
    on_record: (cells, { bytes }) => {
      lastEnd = bytes
      return { cells, end: bytes }
    },
  }
  const parser = parse(options as object)
  // The parser does not count empty cells: a row of them alone would fill the memory.
  const feed = async (): Promise<void> => {
    let fed = 0
    for await (const chunk of chunks) {
      await written(parser, chunk)
      fed += chunk.length
      if (parser.writableEnded) return
      if (fed - lastEnd > longest) throw faults.tooLong(parser.info.records)
    }
    parser.end()
  }
  // An error of either comes out of the loop below.
  feed().catch((error: Error) => parser.destroy(error))
  let [start, read] = [0, 0]
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) {
      if (row.end - start > longest) throw faults.tooLong(read)
      start = row.end
      read++
      yield row
    }
  } catch (error) {
    const { code } = error as CsvError
    if (code === 'CSV_MAX_RECORD_SIZE') throw faults.tooLong(parser.info.records)
    if (code === 'CSV_QUOTE_NOT_CLOSED') throw faults.endsInQuote(parser.info.records)
    throw error
  }
}

/** Writes to a stream, and waits until it has used what was written. */
const written = (stream: Writable, chunk: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()))
  })
