import type { Context } from '../../request/context.ts'
import type { Store } from '../../table/store.ts'
import { definitions } from './attributeDefinition.ts'
import type { Attribute } from './attributes.ts'

// Which attributes a caller may see.

/** Those of these attributes that users who are no administrators may see, their own ones included. */
async function notHidden<T extends string>(store: Store, names: readonly T[]): Promise<Set<T>> {
  const found = await Promise.all(names.map((name) => definitions.read(store, name)))
  return new Set(names.filter((_, nth) => (found[nth]?.user_permission ?? 'HIDDEN') !== 'HIDDEN'))
}

/** A user's own attributes, without hidden ones. */
export async function visibleAttributes(store: Store, attributes: readonly Attribute[]): Promise<Attribute[]> {
  const shown = await notHidden(
    store,
    attributes.map(({ name }) => name),
  )
  return attributes.filter(({ name }) => shown.has(name))
}

/** Those of these attributes that the caller may see of people: administrators see all. */
export async function shownAttributes<T extends string>(
  { store, actor }: Pick<Context, 'store' | 'actor'>,
  names: readonly T[],
): Promise<ReadonlySet<T>> {
  const [caller, shown] = await Promise.all([actor(), notHidden(store, names)])
  return caller.kind === 'USER' && caller.role === 'ADMIN' ? new Set(names) : shown
}
