import { isPast } from '../base/moments.ts'
import { SHARDS } from '../table/counters.ts'
import { absent, is } from '../table/expressions.ts'
import {
  attributeKey,
  editionMark,
  markedName,
  nameOfDefinition,
  useCount,
  userCountKey,
  userCounts,
} from '../table/keys.ts'
import { type Action, all, happened, type Item, type Store } from '../table/store.ts'
import { workEntry } from '../table/work.ts'
import type { AttributeDefinition, DeletedDefinition } from './attributeRules.ts'

/**
 * How many users have a value of each attribute definition is counted in the counters of users, in the transaction that
 * gives or takes the value: one update of one shard, however many attributes it is about. So a definition is deleted, or
 * gets another type, only while nobody has a value. Its edition then goes up, in every shard: values that were judged by
 * the edition before are not written any more.
 */
export const readUses = (store: Pick<Store, 'query'>): Promise<Item[]> =>
  all(store, { ...userCounts, consistent: true })

/** The edition of a definition after the present one. */
export const nextEdition = ({ edition = 0 }: AttributeDefinition): number => edition + 1

/**
 * Ends an edition of a definition, as long as nobody has a value; undefined where somebody does by what has been read.
 * `forgotten` are names of definitions long gone, whose editions no longer matter.
 */
export function closeUses(
  definition: AttributeDefinition,
  shards: readonly Item[],
  forgotten: readonly string[] = [],
): Action[] | undefined {
  const count = useCount(definition.technical_name)
  const counted = new Map(shards.map((shard) => [shard.sk, shard[count] as number | undefined]))
  if ([...counted.values()].reduce<number>((sum, one = 0) => sum + one, 0) !== 0) return undefined
  return Array.from({ length: SHARDS }, (_, shard) => {
    const update = userCountKey(shard)
    const read = counted.get(update.sk)
    return {
      update,
      set: { [editionMark(definition.technical_name)]: nextEdition(definition) },
      clear: [count, ...forgotten.map(editionMark)],
      // Nobody has come to have a value since.
      if: is({ [count]: read }),
    }
  })
}

/** The names whose editions the counters know. */
const markedNames = (shards: readonly Item[]): string[] => [
  ...new Set(shards.flatMap((shard) => Object.keys(shard).flatMap((attribute) => markedName(attribute) ?? []))),
]

/** No call or import takes as long: every value judged by a definition deleted before this is written or given up. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000
/** So many beside a deletion fit into its transaction. */
const MOST_FORGOTTEN = 50

/**
 * Definitions deleted long ago, whose editions can be forgotten: the names, and what ends the memory of them. Without
 * that the counters would grow by every name that there ever was.
 */
export async function forgetting(
  store: Pick<Store, 'get'>,
  shards: readonly Item[],
  { living, now }: { living: readonly string[]; now: string },
): Promise<{ names: string[]; actions: Action[] }> {
  const gone = markedNames(shards).filter((name) => !living.includes(name))
  const items = await Promise.all(gone.slice(0, MOST_FORGOTTEN).map((name) => store.get(attributeKey(name))))
  const before = new Date(Date.parse(now) - REMEMBERED_MS).toISOString()
  const old = items.flatMap(
    (item) => (isPast((item?.data as DeletedDefinition | undefined)?.deleted_at, before) && item) || [],
  )
  return {
    names: old.map(nameOfDefinition),
    actions: old.map(({ pk, sk, data: read }) => ({ delete: { pk, sk }, if: is({ data: read }) })),
  }
}

/** Notes that the values which an earlier version wrote are to be counted, unless that is noted already. */
export async function noteCounting(store: Pick<Store, 'write'>, now: string): Promise<void> {
  await happened(store.write([{ put: workEntry('counting', 'uses', {}, now), if: absent }], 'aside'))
}
