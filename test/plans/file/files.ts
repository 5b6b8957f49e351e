import type { AttributeDefinition } from '../../../domain/people/records/attributeDefinition.ts'
import { bytesOf, type FilePart } from '../../../domain/plans/file/fileParts.ts'
import { fileRequest } from '../../../domain/plans/file/fileRequest.ts'
import type { FileBytes } from '../../../domain/plans/file/fileText.ts'
import { openBytes } from '../../../domain/plans/file/planFile.ts'
import { type ReadRow, readRows } from '../../../domain/plans/file/readRows.ts'
import { beginning, type FilePosition } from '../../../domain/plans/file/row.ts'
import type { PlanRequest } from '../../../domain/plans/plan.ts'

type MeasuredFile = FileBytes & { measured: { largest: number; total: number } }

/** Bytes as a file, cut into parts at these places. `measured`: the largest buffer, and all bytes, that were asked for. */
export function fileOf(bytes: Uint8Array, cuts: readonly number[] = []): MeasuredFile {
  const places = [0, ...[...cuts].sort((one, other) => one - other), bytes.length]
  const stored = new Map<string, Uint8Array>()
  const parts: FilePart[] = places.slice(1).map((to, n) => {
    const part = bytes.subarray(places[n], to)
    stored.set(String(n), part)
    return { number: n + 1, name: String(n), bytes: part.length }
  })
  const measured = { largest: 0, total: 0 }
  const get = async (name: string, { from = 0, to }: { from?: number; to?: number } = {}) => {
    const found = stored.get(name)?.slice(from, to)
    measured.largest = Math.max(measured.largest, found?.length ?? 0)
    measured.total += found?.length ?? 0
    return found
  }
  return { ...bytesOf({ get }, parts), measured }
}

export const definitionOf = (name: string, titles: string[] = [], type: 'TEXT' | 'DATE' = 'TEXT') =>
  ({
    id: name,
    technical_name: name,
    title: titles.map((text, n) => ({ language: `l${n}`, text })),
    attribute_type: type,
    user_permission: 'VIEW',
    predefined: false,
    created_at: '2026-11-21T09:00:00.000Z',
  }) satisfies AttributeDefinition

type Options = Partial<PlanRequest> & { definitions?: AttributeDefinition[]; cuts?: number[] }

/** Opens a text, or bytes, as the file of a plan. */
export function open(file: string | Uint8Array | FileBytes, { definitions = [], cuts = [], ...request }: Options = {}) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  return openBytes(
    'read' in bytes && 'size' in bytes ? bytes : fileOf(bytes as Uint8Array, cuts),
    fileRequest(request),
    definitions,
  )
}

/** All rows of a file. */
export async function rowsOf(file: Parameters<typeof open>[0], options: Options = {}, from: FilePosition = beginning) {
  const found: ReadRow[] = []
  for await (const one of readRows(await open(file, options), from)) found.push(one)
  return found
}
