import { textOfKey } from '../../table/items.ts'
import type { Item, Store } from '../../table/store.ts'
import type { Checking } from '../verdict.ts'
import type { FileRequest } from './fileRequest.ts'
import { groupFinder } from './groupNames.ts'
import type { Judging } from './judgeRow.ts'
import type { PlanFile } from './planFile.ts'
import type { Columns } from './row.ts'
import type { PlanFiles } from './storedFiles.ts'

/** What the stages of a check work with. */
export type FileCheck = {
  checking: Checking
  file: PlanFile
  files: PlanFiles
  request: FileRequest
  columns: Pick<Columns, 'headerOf'>
}

/** The columns of a file for faults. The names in lines of JSON are the fields, or nearly so. */
export const columnsIn = ({ form, columns }: PlanFile): Pick<Columns, 'headerOf'> =>
  form.format === 'JSONL' ? { headerOf: (field) => columns.headerOf(field) ?? field } : columns

/** A stage shows its progress at least this often. */
export const SHOWN_MS = 1_000

/** What judging rows needs. */
export function judgingIn({ checking: { context }, request, columns }: FileCheck): Judging {
  const references = { ...context, store: remembering(context.store) }
  return { context, references, options: request, columns, groupOf: groupFinder(context) }
}

/** A store that reads each item once: rows name the same few groups and definitions again and again. It is for one run of a check. */
function remembering(store: Store): Store {
  const known = new Map<string, Promise<Item | undefined>>()
  return {
    ...store,
    get: (key) => {
      const name = textOfKey(key)
      const found = known.get(name) ?? store.get(key)
      known.set(name, found)
      return found
    },
  }
}
