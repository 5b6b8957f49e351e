import { replaceRecord } from './changes.ts'
import { checkKey } from './keys.ts'
import { defineRecord } from './records.ts'
import type { Store } from './store.ts'

type Check = { at: string; nth: number }
// Stryker disable next-line ArrayDeclaration: the key takes no id
const checks = defineRecord<Check, []>({ key: () => checkKey, idOf: () => [] })

/**
 * Reads an item and writes it, on the condition that it is as it was read. It belongs to no record, so there is no event. Throws
 * the error of the table if functions may not read or write it; StaleRead if another check was faster.
 */
export async function checkTable(store: Pick<Store, 'get' | 'write'>, at: string): Promise<void> {
  const before = await checks.read(store)
  await store.write([replaceRecord(checks, before, { at, nth: (before?.nth ?? 0) + 1 })])
}
