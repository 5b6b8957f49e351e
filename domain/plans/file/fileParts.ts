import { hash } from 'node:crypto'
import { refuse } from '../../base/errors.ts'
import { numberOfPlanItem, planItemKey, planItems } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineItem } from '../../table/records.ts'
import type { Action, Store } from '../../table/store.ts'
import type { FileBytes } from './fileText.ts'
import type { PlanFiles } from './storedFiles.ts'

// The parts of a plan's file. Each is stored under a name that no other part ever gets, and the table says which one counts. So a
// part that is replaced while the file is read changes nothing of what is read.

/** A part of a file: its number, the name of what is stored, and its bytes, unpacked. */
export type FilePart = { number: number; name: string; bytes: number }
const rows = defineItem<Omit<FilePart, 'number'>>()

/** Writes that a part counts, in the place of an earlier one of its number. */
export const partWrite = (plan: string, { number, ...part }: FilePart): Action => ({
  put: rows.item(planItemKey(plan, 'FILE', number), part),
})

/** The name under which a part is stored: `id` is used once. */
export const nameOfPart = (number: number, id: string): string => `parts/${String(number).padStart(4, '0')}/${id}`

/** The parts of a plan's file, in the order of their numbers. */
export const readParts = async (store: Pick<Store, 'query'>, plan: string): Promise<FilePart[]> =>
  (await all(store, planItems(plan, 'FILE'))).map((item) => {
    const { name, bytes } = rows.of(item)
    return { number: numberOfPlanItem(item), name, bytes }
  })

/** A digest of what these parts are: another one if any of them was replaced. */
export const digestOfParts = (parts: readonly FilePart[]): string =>
  hash('sha256', JSON.stringify(parts.map(({ name }) => name)))

/** The bytes of all these parts. */
export const sizeOfParts = (parts: readonly FilePart[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

/** Bytes read at once: with those that are asked for meanwhile, no more than two such pieces are held. */
const AT_ONCE = 1024 * 1024

/** The file of these parts. */
export const bytesOf = (files: Pick<PlanFiles, 'get'>, parts: readonly FilePart[]): FileBytes => ({
  size: sizeOfParts(parts),
  read: (from) => read(files, [...rangesOf(parts, from)]),
})

type Range = { name: string; from: number; to: number }

function* rangesOf(parts: readonly FilePart[], offset: number): Generator<Range> {
  let start = 0
  for (const { name, bytes } of parts) {
    for (let from = Math.max(0, offset - start); from < bytes; from += AT_ONCE)
      yield { name, from, to: Math.min(bytes, from + AT_ONCE) }
    start += bytes
  }
}

/** Each piece is asked for while the one before it is used. */
async function* read(files: Pick<PlanFiles, 'get'>, ranges: readonly Range[]): AsyncGenerator<Uint8Array> {
  const get = async ({ name, from, to }: Range): Promise<Uint8Array> => {
    const bytes = await files.get(name, { from, to })
    if (bytes?.length !== to - from)
      throw refuse('PLAN_FILE_INCOMPLETE', undefined, 'A part of the file is not there any more')
    return bytes
  }
  const asked = (range: Range | undefined) => {
    const piece = range && get(range)
    // Whether it fails is seen when it is used, if it is.
    piece?.catch(() => {})
    return piece
  }
  let next = asked(ranges[0])
  for (let n = 1; next; n++) {
    const piece: Uint8Array = await next
    next = asked(ranges[n])
    yield piece
  }
}
