import { StoreUnreachable } from '../base/errors.ts'
import { layoutKey } from './keys.ts'
import type { Store } from './store.ts'

/**
 * The layouts of the table that this version of the service works with: it reads what all of them have, and writes what each
 * of them needs. A change of the layout has a number, and a migration that leads to it (domain/maintenance/migrate.ts).
 */
export const layouts = { oldest: 1, newest: 1 }

type Layout = { version: number }
/** What the table says about its layout. */
export const storedLayout = async (store: Pick<Store, 'get'>): Promise<Layout | undefined> =>
  (await store.get(layoutKey))?.data as Layout | undefined

/** A table that says nothing about its layout has the first one. */
const FIRST = 1

/** The number of the table's layout. */
export const readLayout = async (store: Pick<Store, 'get'>): Promise<number> =>
  (await storedLayout(store))?.version ?? FIRST

/** Throws StoreUnreachable if this version cannot work with the table's layout. */
export function acceptLayout(version: number): void {
  const { oldest, newest } = layouts
  if (version >= oldest && version <= newest) return
  throw new StoreUnreachable('layout', false, { dependency: 'DynamoDB', layout: version, accepts: [oldest, newest] })
}
