// Items and their keys.

/** Where a record is in the table. */
export type Key = { pk: string; sk: string }

/** An item as the table holds it. */
export type Item = Key & { [attribute: string]: unknown }

/** A key as one string. */
export const textOfKey = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** Whether an item has this key. */
export const isAt =
  ({ pk, sk }: Key) =>
  (item: Key): boolean =>
    item.pk === pk && item.sk === sk

/** The key of an item, without its other attributes. */
export const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk })
