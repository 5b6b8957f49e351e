import { absent, atMost, either, is } from './expressions.ts'
import type { Action, Item, Key, Refusal } from './store.ts'

/**
 * Names that only one record may have. For each there is an item that says which record holds it (`owner`), and for
 * records that are about to be deleted, until when (`expires_at`): from that moment on the name is free, although the item
 * may still be there.
 */
export type Reservation = Item & { owner: string; expires_at?: string }

/** Takes a name that is free, expired by `now`, or the owner's already. */
export const takeName = (put: Reservation, taken: Refusal, now?: string): Action => ({
  put,
  if: either(absent, is({ owner: put.owner }), ...(now === undefined ? [] : [atMost('expires_at', now)])),
  otherwise: taken,
})

/** Writes the reservation of a name that the record holds already; stale if another one has it by now. */
export const keepName = (put: Reservation): Action => ({ put, if: either(absent, is({ owner: put.owner })) })

/** Gives a name up; stale if another record has it by now. */
export const giveUpName = ({ pk, sk }: Key, owner: string): Action => ({
  delete: { pk, sk },
  if: either(absent, is({ owner })),
})

type Named = { id: string; external_id: string | null }

/** The external ids of a kind of records, each of which one record has at most. */
export function externalIds<T extends Named>(keyOf: (externalId: string, record: T) => Key) {
  const keyIn = (record: T): Key[] => (record.external_id === null ? [] : [keyOf(record.external_id, record)])
  const take = (record: T): Action[] =>
    keyIn(record).map((key) =>
      takeName({ ...key, owner: record.id }, { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' }),
    )
  const giveUp = (record: T): Action[] => keyIn(record).map((key) => giveUpName(key, record.id))
  return {
    /** Takes a record's external id, if it has one. */
    take,
    /** Gives it up. */
    giveUp,
    /** Takes another one and gives up the one before; nothing where it stays. */
    change: (before: T | undefined, after: T): Action[] =>
      before?.external_id === after.external_id ? [] : [...take(after), ...(before ? giveUp(before) : [])],
  }
}
