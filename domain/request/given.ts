import { charactersIn } from '../base/text.ts'

const LONGEST_REFERENCE = 255

/** An object, whatever is in it. */
export const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined

/** Whether this has the form of a reference: a text of 1 to 255 characters. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && charactersIn(value) <= LONGEST_REFERENCE && value.isWellFormed()
