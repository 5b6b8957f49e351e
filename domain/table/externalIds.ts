import { absent, either, is } from './expressions.ts'
import type { Action, Key } from './store.ts'

type Named = { id: string; external_id: string | null }

/** Takes a record's external id, if it has one: it must be free. */
export const takingExternalId = (keyOf: (externalId: string) => Key, { id, external_id }: Named): Action[] =>
  external_id === null
    ? []
    : [
        {
          put: { ...keyOf(external_id), owner: id },
          if: absent,
          otherwise: { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' },
        },
      ]

/** Gives a record's external id up, if it is still its own. */
export const givingUpExternalId = (keyOf: (externalId: string) => Key, { id, external_id }: Named): Action[] =>
  external_id === null
    ? []
    : [
        {
          delete: keyOf(external_id),
          if: either(absent, is({ owner: id })),
        },
      ]
