import { checkKey } from './keys.ts'
import { defineRecord } from './records.ts'
import type { Store } from './store.ts'

type Check = { at: string; nth: number }
// Stryker disable next-line ArrayDeclaration: the key takes no id
const checks = defineRecord<Check, []>({ key: () => checkKey, idOf: () => [] })

/**
 * Reads and writes an item that belongs to no record, on the condition that it is as it was read: so no event tells of it.
 * Throws what the table or its permissions refuse, StaleRead if another check was faster.
 */
export async function checkTable(store: Pick<Store, 'get' | 'write'>, at: string): Promise<void> {
  const before = await checks.read(store)
  await store.write([checks.replace(before, { at, nth: (before?.nth ?? 0) + 1 })])
}
