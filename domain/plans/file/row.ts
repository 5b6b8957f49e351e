import type { ErrorCode } from '../../../schemas/errors.ts'

/** A row of a file: what it says about one person. */
export type FileRow = {
  /** 1 for the first row after the header; in JSONL the number of the line. */
  row: number
  /** Who the row is about, by the field `match_by`; null if it is empty or cannot be read: then `faults` says why. */
  key: string | null
  /** What the row gives, the key included. An empty cell is left out; with CLEAR it is null, and tags are an empty list. */
  values: RowValues
  /** Why the row cannot be planned. Its key still counts as in the file. */
  faults: RowFault[]
}

/** A field is here only if its column is there and its cell counts. Values are checked as far as the file's form goes, no further. */
export type RowValues = {
  external_id?: string | null
  id?: string
  username?: string
  first_name?: string
  last_name?: string
  email?: string | null
  role?: 'USER' | 'ADMIN'
  status?: 'ACTIVE' | 'LOCKED' | 'DEACTIVATED'
  /** As the file has it: an id, an external id or a title. Null is the group of all users. */
  primary_user_group?: string | null
  preferred_language?: string | null
  tags?: string[]
  /** By technical name; null clears the value. */
  attributes?: Record<string, string | null>
}

/** `column` is the header as the file has it; null for a fault of the whole row. */
export type RowFault = { column: string | null; code: ErrorCode; detail: string }

/** The columns of a file. */
export type Columns = {
  /** The header of a field, so that a fault that is found later can name the column. */
  headerOf: (field: string) => string | null
  /** Headers that name nothing. In JSONL they are those of the lines read so far. */
  ignored: string[]
}

/** Where the next row begins. It is kept with the plan, so it is JSON. */
export type FilePosition = {
  /** Bytes of the unpacked file before it. */
  offset: number
  /** Rows before it, as `FileRow.row` counts. */
  row: number
  /** A digest of how the columns were understood. If it is another one later, reading on is refused. */
  columns?: string
}

/** The beginning of a file. */
export const beginning: FilePosition = { offset: 0, row: 0 }
