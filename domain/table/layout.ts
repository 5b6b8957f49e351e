import { StoreUnreachable } from '../base/errors.ts'
import { absent, is } from './expressions.ts'
import { layoutKey } from './keys.ts'
import type { Action, Store } from './store.ts'

/**
 * The layouts of the table that this version of the service works with: it reads what all of them have, and writes what each
 * of them needs. A change of the layout has a number, and a migration that leads to it (domain/maintenance/migrate.ts).
 */
export const layouts = { oldest: 1, newest: 1 }

type Layout = { version: number }
const stored = async (store: Pick<Store, 'get'>): Promise<Layout | undefined> =>
  (await store.get(layoutKey))?.data as Layout | undefined

/** A table that says nothing about its layout has the first one. */
const FIRST = 1

/** The number of the table's layout. */
export const readLayout = async (store: Pick<Store, 'get'>): Promise<number> => (await stored(store))?.version ?? FIRST

/** The action that gives the table this layout; stale if the layout has changed since it was read. */
export async function layoutChange(store: Pick<Store, 'get'>, version: number): Promise<Action> {
  const data = await stored(store)
  return { put: { ...layoutKey, data: { version } }, if: data ? is({ data }) : absent }
}

/** Throws StoreUnreachable if this version cannot work with the table's layout. */
export function acceptLayout(version: number): void {
  const { oldest, newest } = layouts
  if (version >= oldest && version <= newest) return
  throw new StoreUnreachable('layout', false, { dependency: 'DynamoDB', layout: version, accepts: [oldest, newest] })
}
