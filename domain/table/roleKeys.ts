// Of THE TABLE (keys.ts): what lies around roles.
import { SHARDS, two } from './keys.ts'
import type { Key, Range } from './store.ts'

export const roleExternalIdKey = (externalId: string): Key => ({ pk: `ROLE_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const roleUseKey = (id: string, shard: number): Key => ({ pk: `ROLE#${id}`, sk: `N#${two(shard)}` })
/** All counters of a role's uses. */
export const roleUseKeys = (id: string): Key[] => Array.from({ length: SHARDS }, (_, shard) => roleUseKey(id, shard))
/** A role with the counters of its uses. */
export const wholeRole = (id: string): Range => ({ hash: `ROLE#${id}`, consistent: true })
