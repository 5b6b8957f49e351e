import { StoreUnreachable } from '../base/errors.ts'
import { layoutKey } from './keys.ts'
import { defineRecord } from './records.ts'
import type { Action, Store } from './store.ts'

/**
 * The layouts of the table that this version of the service works with: it reads what all of them have, and writes what each
 * of them needs. A change of the layout has a number, and a migration that leads to it (domain/maintenance/migrate.ts).
 */
export const layouts = { oldest: 1, newest: 1 }

type Layout = { version: number }
// Stryker disable next-line ArrayDeclaration: the key takes no id
const records = defineRecord<Layout, []>({ key: () => layoutKey, idOf: () => [] })

/** A table that says nothing about its layout has the first one. */
const FIRST = 1

/** The number of the table's layout. */
export const readLayout = async (store: Pick<Store, 'get'>): Promise<number> =>
  (await records.read(store))?.version ?? FIRST

/** The action that gives the table this layout; stale if the layout has changed since it was read. */
export async function layoutChange(store: Pick<Store, 'get'>, version: number): Promise<Action> {
  const before = await records.read(store)
  return records.replace(before, { version })
}

/** Throws StoreUnreachable if this version cannot work with the table's layout. */
export function acceptLayout(version: number): void {
  const { oldest, newest } = layouts
  if (version >= oldest && version <= newest) return
  throw new StoreUnreachable('layout', false, { dependency: 'DynamoDB', layout: version, accepts: [oldest, newest] })
}
