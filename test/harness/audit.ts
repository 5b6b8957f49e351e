import { expect } from 'vitest'
import type { Item } from '../../domain/table/store.ts'
import type { Expect } from '../../local/verify/findings.ts'
import { auditTable } from '../../local/verify/table.ts'
import { readTable } from '../../local/verify/verify.ts'
import type { Service } from './service.ts'

/** Everything in the table. */
export const dump = ({ client, tableName }: Pick<Service, 'client' | 'tableName'>): Promise<Item[]> =>
  readTable(client, tableName)

/** Holds the whole table against its own rules, as `npm run verify` does; fails at the first finding. */
export async function audit(service: Service): Promise<void> {
  auditTable(await dump(service), service.now().toISOString(), expect as Expect)
}
