import { randomBytes } from 'node:crypto'
import type { PlanFiles } from './storedFiles.ts'

// Working files of a check. Each has as many parts as the work is split into, and begins with the places of these, so that one part
// of all files can be read without the rest. A part has a record of JSON in each line.

const decoder = new TextDecoder()
const NUMBER = 4

/** A working file that is being filled. */
export type Filling = {
  parts: number
  add: (part: number, record: object | number) => void
  bytes: () => number
  records: () => number
  whole: () => Uint8Array
}

/** Begins a working file. */
export function filling(parts: number): Filling {
  const lines: string[][] = Array.from({ length: parts }, () => [])
  let [bytes, records] = [0, 0]
  return {
    parts,
    add: (part, record) => {
      const line = JSON.stringify(record)
      lines[part]?.push(line)
      bytes += Buffer.byteLength(line) + 1
      records++
    },
    bytes: () => bytes,
    records: () => records,
    whole: () => {
      const texts = lines.map((some) => Buffer.from(some.map((line) => `${line}\n`).join('')))
      const places = Buffer.alloc((parts + 1) * NUMBER)
      let at = places.length
      for (const [n, text] of texts.entries()) {
        places.writeUInt32BE(at, n * NUMBER)
        at += text.length
      }
      places.writeUInt32BE(at, parts * NUMBER)
      return Buffer.concat([places, ...texts])
    },
  }
}

/**
 * Writes a working file, and returns its name. No other attempt gets the same name, so nothing that a slow process writes can replace
 * what the plan's position names.
 */
export async function putWork(files: PlanFiles, kind: string, bytes: Uint8Array): Promise<string> {
  const name = `${kind}${randomBytes(6).toString('base64url')}`
  await files.put(pathOf(name), bytes)
  return name
}

const pathOf = (name: string): string => `work/${name}`

async function bytesOf(files: PlanFiles, name: string, from: number, to: number): Promise<Uint8Array> {
  const bytes = await files.get(pathOf(name), { from, to })
  if (!bytes) throw new Error('A working file of the plan is gone')
  return bytes
}

/** Where the part begins and ends. */
async function placeOf(files: PlanFiles, name: string, part: number): Promise<[from: number, to: number]> {
  const bytes = Buffer.from(await bytesOf(files, name, part * NUMBER, (part + 2) * NUMBER))
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(NUMBER)]
}

/** Working files that are read at the same time. */
const AT_ONCE = 8

/** The records of a part, file after file. */
export async function* recordsOf<T>(files: PlanFiles, names: readonly string[], part: number): AsyncGenerator<T> {
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const texts = await Promise.all(names.slice(from, from + AT_ONCE).map((name) => textOf(files, name, part)))
    for (const text of texts) yield* recordsIn<T>(text)
  }
}

async function textOf(files: PlanFiles, name: string, part: number): Promise<string> {
  const [from, to] = await placeOf(files, name, part)
  return from === to ? '' : decoder.decode(await bytesOf(files, name, from, to))
}

function* recordsIn<T>(text: string): Generator<T> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    yield JSON.parse(text.slice(from, end)) as T
    from = end + 1
  }
}
