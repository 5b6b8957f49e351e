import { expect } from 'vitest'
import type { Any, Request } from '../../harness/call.ts'
import type { Service } from '../../harness/service.ts'
import { get, work } from '../plans.ts'
import { uploaded, waiting } from './uploads.ts'

/** A file of rows; the first ones are the columns. Cells with separators are quoted. */
export const csv = (columns: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  [columns, ...rows].map((row) => row.map(cell).join(',')).join('\n')
const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Makes a plan of a file that a worker has yet to check. */
export async function checking(
  file: string | Uint8Array,
  body: object = {},
  rows?: number,
  request: Request = {},
): Promise<Any> {
  const made = await waiting(body, request)
  const { status, body: answer } = await uploaded(made.id, file, rows === undefined ? {} : { rows })
  expect([status, answer]).toMatchObject([202, { state: 'CHECKING' }])
  return made
}

/** A plan of a file that a worker has checked. */
export async function checkedFile(
  service: Service,
  file: string | Uint8Array,
  body: object = {},
  rows?: number,
  request: Request = {},
): Promise<Any> {
  const { id } = await checking(file, body, rows, request)
  await work(service, id)
  return get(id)
}
