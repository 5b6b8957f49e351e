import { absent, is } from '../../table/expressions.ts'
import { keyIn } from '../../table/items.ts'
import { DEFINITION_SLOTS, definitionSlotKey, definitionSlots } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineItem } from '../../table/records.ts'
import type { Action, Store } from '../../table/store.ts'
import { type AttributeDefinition, definitions } from './attributeDefinition.ts'

// The slots of attribute definitions: as many as there may be definitions.

const slotRows = defineItem<{ name: string }>()

/** The slots of all definitions with their names, and the numbers of the slots that are free. */
export async function readSlots(store: Store) {
  const taken = (await all(store, definitionSlots)).map(slotRows.of)
  const keys = new Set(taken.map(({ sk }) => sk))
  const every = Array.from({ length: DEFINITION_SLOTS }, (_, slot) => slot)
  const free = every.filter((slot) => !keys.has(definitionSlotKey(slot).sk))
  return { names: taken.map(({ name }) => name), free, taken }
}

/** All definitions, in the order of their slots. */
export async function readDefinitions(store: Store): Promise<AttributeDefinition[]> {
  const { names } = await readSlots(store)
  const found = await Promise.all(names.map((name) => definitions.readEventual(store, name)))
  return found.filter((definition) => definition !== undefined)
}

/** Takes a slot for a definition; stale if another definition has taken it. */
export const takeSlot = (slot: number, name: string): Action => ({
  put: slotRows.item(definitionSlotKey(slot), { name }),
  if: absent,
})

/** Gives up the slot of a definition; stale if it no longer has this slot. */
export const giveUpSlot = (taken: Awaited<ReturnType<typeof readSlots>>['taken'], name: string): Action[] =>
  taken.filter((slot) => slot.name === name).map((slot) => ({ delete: keyIn(slot), if: is({ name }) }))
