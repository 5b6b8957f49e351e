import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'

// Items, their keys, and ranges of them.

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

// Ranges, as DynamoDB's Query takes them.

/**
 * A part of one item collection, read in key order; `index` names a secondary index, whose hash key is then `hash`.
 * `to` is always inclusive. `from` is exclusive, unless `to` is given, too.
 */
export type Range = {
  index?: string
  hash: string
  beginsWith?: string
  from?: string
  to?: string
  descending?: boolean
  limit?: number
  after?: Record<string, unknown>
  consistent?: boolean
  /** Only the number of rows and the last key: the same units, but no rows to send and parse. */
  countOnly?: boolean
  /** The attributes to read of each item; all by default. Fewer take less processor time, but no fewer units. */
  only?: readonly string[]
}

/** A range as the input of DynamoDB's Query, without the table's name. */
export function queryOf(range: Range): Omit<QueryCommandInput, 'TableName'> {
  const [hash, sort] = range.index === undefined ? ['pk', 'sk'] : [hashOf(range.index), sortOf(range.index)]
  const { condition, values } = sortCondition(boundsOf(range, sort))
  const wanted = range.only?.map((name, n) => [`#only${n}`, name] as const)
  return {
    ...(range.index === undefined ? {} : { IndexName: range.index }),
    KeyConditionExpression: `#hash = :hash${condition}`,
    ExpressionAttributeNames: {
      '#hash': hash,
      ...(condition ? { '#sort': sort } : {}),
      ...Object.fromEntries(wanted ?? []),
    },
    ExpressionAttributeValues: { ':hash': range.hash, ...values },
    ScanIndexForward: !range.descending,
    ...(range.limit === undefined ? {} : { Limit: range.limit }),
    ...(range.after === undefined ? {} : { ExclusiveStartKey: range.after }),
    ...(range.consistent ? { ConsistentRead: true } : {}),
    ...(range.countOnly ? { Select: 'COUNT' } : {}),
    ...(wanted ? { ProjectionExpression: wanted.map(([placed]) => placed).join(', ') } : {}),
  }
}

const hashOf = (index: string): string => (index === 'find' ? 'find' : 'list')
/** The attribute that an index is sorted by. */
export const sortOf = (index: string): string => (index === 'find' ? 'found' : index)

/** Sorts after everything that begins with a text, or after every text. The only spelling of it. */
export const endOf = (text = ''): string => `${text}${'\u{10ffff}'.repeat(4)}`

type Bounds = { from: string | undefined; to: string | undefined }

/**
 * BETWEEN instead of begins_with, because DynamoDB Local looks at every row of a partition for begins_with. The bound moves on
 * with each page: otherwise Local looks again at the rows before it, and the last pages of 50,000 rows take half as long
 * again as the first. On AWS all of these cost the same.
 */
function boundsOf({ beginsWith, from = beginsWith, to, descending, after }: Range, sort: string): Bounds {
  const bounds = { from, to: beginsWith === undefined ? to : endOf(beginsWith) }
  const sortKey = after?.[sort]
  // In descending order, `to` together with `from` would make that inclusive.
  if (typeof sortKey !== 'string' || (descending && from !== undefined && bounds.to === undefined)) return bounds
  return descending ? { ...bounds, to: sortKey } : { from: sortKey, to: bounds.to ?? endOf() }
}

function sortCondition({ from, to }: Bounds): { condition: string; values: Record<string, string> } {
  if (from !== undefined && to !== undefined)
    return { condition: ' AND #sort BETWEEN :from AND :to', values: { ':from': from, ':to': to } }
  if (from !== undefined) return { condition: ' AND #sort > :from', values: { ':from': from } }
  if (to !== undefined) return { condition: ' AND #sort <= :to', values: { ':to': to } }
  return { condition: '', values: {} }
}
