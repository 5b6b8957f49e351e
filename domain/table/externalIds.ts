import { giveUpName, takeName } from './changes.ts'
import type { Action, Key } from './store.ts'

// External ids: each is reserved for one record of a kind.

type Named = { id: string; external_id: string | null }
/** The key that reserves an external id for a record of one kind. */
type ExternalIdKey<T> = (externalId: string, record: T) => Key

const externalIdOf = <T extends Named>(keyOf: ExternalIdKey<T>, record: T): Key[] =>
  record.external_id === null ? [] : [keyOf(record.external_id, record)]

/** Takes a record's external id, if it has one. Two records of a kind never have the same one. */
export const takeExternalId = <T extends Named>(keyOf: ExternalIdKey<T>, record: T): Action[] =>
  externalIdOf(keyOf, record).map((key) =>
    takeName({ ...key, owner: record.id }, { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' }),
  )

/** Gives it up. */
export const giveUpExternalId = <T extends Named>(keyOf: ExternalIdKey<T>, record: T): Action[] =>
  externalIdOf(keyOf, record).map((key) => giveUpName(key, record.id))

/** Takes another one and gives up the one before; nothing where it stays. */
export const changeExternalId = <T extends Named>(
  keyOf: ExternalIdKey<T>,
  before: T | undefined,
  after: T,
): Action[] =>
  before?.external_id === after.external_id
    ? []
    : [...takeExternalId(keyOf, after), ...(before ? giveUpExternalId(keyOf, before) : [])]
