import type { FileSum } from '../plan.ts'
import { type FilePart, sizeOfParts } from './fileParts.ts'

// Whether what was uploaded is the file that the caller has described.

/** What is wrong with a description: its property, and what that must be. */
export type Gap = { property: 'parts' | 'bytes' | 'sha256'; message: string }

export const wrongSum: Gap = { property: 'sha256', message: 'must be that of the uploaded file' }

/** What is missing or too much: parts, or bytes. Undefined if number and size are right. */
export function gapIn(
  parts: readonly FilePart[],
  { parts: count, bytes }: Pick<FileSum, 'parts' | 'bytes'>,
): Gap | undefined {
  const given = new Set(parts.map(({ number }) => number))
  const missing = Array.from({ length: count }, (_, n) => n + 1).find((number) => !given.has(number))
  const size = sizeOfParts(parts)
  if (missing !== undefined)
    return { property: 'parts', message: `must be the number of parts, and part ${missing} is missing` }
  if (given.size > count)
    return { property: 'parts', message: `must be the number of uploaded parts, which is ${given.size}` }
  return size === bytes
    ? undefined
    : { property: 'bytes', message: `must be the size of the uploaded file, which is ${size}` }
}
