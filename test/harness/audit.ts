import { expect } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import { type Item, nameOf } from '../../domain/table/store.ts'
import type { Expect } from '../../local/verify/findings.ts'
import { auditTable } from '../../local/verify/table.ts'
import { readTable } from '../../local/verify/verify.ts'
import type { Service } from './service.ts'

/** Everything in the table, by key: it is read in parts side by side, which come in any order. */
export const dump = async ({ client, tableName }: Pick<Service, 'client' | 'tableName'>): Promise<Item[]> =>
  (await readTable(client, tableName)).sort((a, b) => compareBytes(nameOf(a), nameOf(b)))

/** Holds the whole table against its own rules, as `npm run verify` does; fails at the first finding. */
export async function audit(service: Service): Promise<void> {
  auditTable(await dump(service), service.now().toISOString(), expect as Expect)
}
