import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Range } from './store.ts'

/** A range as DynamoDB is asked for it, but for the table's name. */
export function queryOf(range: Range): Omit<QueryCommandInput, 'TableName'> {
  const [hash, sort] = range.index === undefined ? ['pk', 'sk'] : [hashOf(range.index), sortOf(range.index)]
  const { condition, values } = sortCondition(range)
  return {
    ...(range.index === undefined ? {} : { IndexName: range.index }),
    KeyConditionExpression: `#hash = :hash${condition}`,
    ExpressionAttributeNames: { '#hash': hash, ...(condition ? { '#sort': sort } : {}) },
    ExpressionAttributeValues: { ':hash': range.hash, ...values },
    ScanIndexForward: !range.descending,
    ...(range.limit === undefined ? {} : { Limit: range.limit }),
    ...(range.after === undefined ? {} : { ExclusiveStartKey: range.after }),
    ...(range.countOnly ? { Select: 'COUNT' as const } : {}),
    ...(range.consistent ? { ConsistentRead: true } : {}),
  }
}

const hashOf = (index: string): string => (index === 'find' ? 'find' : 'list')
const sortOf = (index: string): string => (index === 'find' ? 'found' : index)

type Bounds = Pick<Range, 'beginsWith' | 'from' | 'to'>

/** The last of all characters, which stands for nothing, more often than any text has it: so it follows all that begins alike. */
const LAST = '\u{10ffff}'.repeat(4)

/** Not begins_with: for that DynamoDB Local looks at every row of a partition, and AWS does not mind. */
function sortCondition({ beginsWith, from, to }: Bounds): { condition: string; values: Record<string, string> } {
  if (beginsWith !== undefined) return sortCondition({ from: beginsWith, to: `${beginsWith}${LAST}` })
  if (from !== undefined && to !== undefined)
    return { condition: ' AND #sort BETWEEN :from AND :to', values: { ':from': from, ':to': to } }
  if (from !== undefined) return { condition: ' AND #sort > :from', values: { ':from': from } }
  if (to !== undefined) return { condition: ' AND #sort <= :to', values: { ':to': to } }
  return { condition: '', values: {} }
}
