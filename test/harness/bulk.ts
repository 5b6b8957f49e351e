import type { Action, Item, Key, WorkStore } from '../../domain/table/store.ts'

/** What is counted, by key. */
export type Counters = Map<string, Item>

/** Puts what the actions put, without their conditions, and adds up what they count: for tables not in use yet. */
export async function putAll(store: WorkStore, actions: readonly Action[], counters: Counters): Promise<void> {
  await store.bulk(itemsOf(actions, counters).map((put) => ({ put })))
}

/** The items that the actions put; adds up what they count. */
export function itemsOf(actions: readonly Action[], counters: Counters): Item[] {
  for (const action of actions) if ('update' in action) count(counters, action)
  return actions.flatMap((action) => ('put' in action ? [action.put] : []))
}

/** Writes each counter once. */
export async function writeCounts(store: WorkStore, counters: Counters): Promise<void> {
  const counts = [...counters.values()].map(({ pk, sk, ...add }): Action => ({ update: { pk, sk }, add }))
  for (let start = 0; start < counts.length; start += 100) await store.write(counts.slice(start, start + 100))
}

/** What an update adds, done in memory on top of what is counted so far. */
function count(counters: Counters, { update: { pk, sk }, add = {} }: Extract<Action, { update: Key }>): void {
  const counter: Item = counters.get(`${pk} ${sk}`) ?? { pk, sk }
  counters.set(`${pk} ${sk}`, counter)
  for (const [name, by] of Object.entries(add)) counter[name] = Number(counter[name] ?? 0) + Number(by)
}
