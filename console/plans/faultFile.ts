// The faults of a plan as a file for spreadsheets. It can be sent to the people who correct the data. Pure.
import { csvText, type Separator } from './csv.ts'

export type FaultLine = {
  /** As the spreadsheet counts; undefined for what is about no row. */
  row: number | undefined
  /** What names the person: the key in the file, or the id. */
  key: string
  name: string
  column: string
  /** What the file has there. */
  value: string
  says: string
  code: string
  detail: string
}

/** Spreadsheets run what looks like a formula, also in a cell that comes from a file. */
const guarded = (text: string): string => (/^[=+\-@'\t\r]/.test(text) ? `'${text}` : text)

/** The text of the file. `detail` and `code` are as the service writes them into its own. */
export const faultFile = (head: readonly string[], lines: readonly FaultLine[], separator: Separator): string => {
  const rows = lines.map(({ row, key, name, column, value, says, code, detail }) => [
    String(row ?? ''),
    ...[key, name, column, value].map(guarded),
    says,
    code,
    detail,
  ])
  // With a mark, by which spreadsheets know UTF-8.
  return `\uFEFF${csvText([head, ...rows], separator)}`
}
