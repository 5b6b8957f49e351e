import { setImmediate as turn } from 'node:timers/promises'
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { textOfKey } from '../../domain/table/items.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import { tableDefinition } from '../../local/database/createTable.ts'
import { type Index, indexWrites, itemSize, readUnits, tableUnits, type Use } from './capacity.ts'

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of any command
type Any = any

/** The requests of an operation. A wave is a set of requests in flight together. */
export type Entry = {
  calls: number
  waves: number
  reads: number
  writes: number
  /** Read units and write units by partition of the table or an index. */
  readPartitions: Map<string, number>
  partitions: Map<string, number>
  /** Of the largest transaction. */
  actions: number
  /** What was asked, wave by wave. */
  sent: { command: string; input: Any }[][]
}

type Ledger = {
  /** Does the work and everything it leaves running, and answers what that cost. */
  of: <T>(work: () => Promise<T>) => Promise<{ answer: T; entry: Entry }>
  close: () => void
}

type Cost = { reads?: Use[]; writes?: Use[]; actions?: number }
type Table = {
  /** Another client, whose calls are not counted: it looks at items before and after. */
  spectator: DynamoDBDocumentClient
  indexes: readonly Index[]
}

/** Turns of the event loop without a new call, after which nothing but the table's answers can bring one. */
const QUIET_TURNS = 10

/**
 * Counts the requests of the client. Each is held until the program has nothing else to do; then all held requests go
 * together, and their answers come one after the other. So the numbers depend on the program only, never on which answer
 * happens to come first. With `onlySums` it remembers no request and no partition, so that it takes no memory.
 */
export async function keepLedger(
  client: DynamoDBDocumentClient,
  spectator: DynamoDBDocumentClient,
  { onlySums = false } = {},
): Promise<Ledger> {
  const table: Table = { spectator, indexes: await tableIndexes() }
  let entry: Entry = noEntry()
  let held: Call[] = []
  let isServing = false

  const serve = async (): Promise<void> => {
    if (isServing) return
    isServing = true
    for (await quiet(() => held.length); held.length > 0; await quiet(() => held.length)) {
      const wave = held
      held = []
      const outcomes = await Promise.all(wave.map(({ run }) => run()))
      entry.waves++
      if (!onlySums) entry.sent.push(wave.map(({ command, input }) => ({ command, input })))
      for (const [n, outcome] of outcomes.entries()) {
        entry.calls++
        entry.reads += book(onlySums ? undefined : entry.readPartitions, outcome.cost.reads)
        entry.writes += book(onlySums ? undefined : entry.partitions, outcome.cost.writes)
        entry.actions = Math.max(entry.actions, outcome.cost.actions ?? 0)
        wave[n]?.deliver(outcome)
        await turn()
      }
    }
    isServing = false
  }

  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { input } = args
      const command = String(context.commandName)
      const run = () => priced(table, command, input, () => next({ ...args, input: ofWholeItems(input) }))
      const { answer } = await new Promise<Outcome>((deliver) => {
        held.push({ command, input, run, deliver })
        void serve()
      })
      if ('error' in answer) throw answer.error
      return answer.value
    },
    { step: 'initialize', name: 'ledger' },
  )
  return {
    of: async (work) => {
      entry = noEntry()
      const answer = await work()
      do await quiet(() => held.length)
      while (isServing)
      const made = entry
      // What happens between two pieces of work belongs to neither.
      entry = noEntry()
      return { answer, entry: made }
    },
    close: () => void client.middlewareStack.remove('ledger'),
  }
}

/** Adds units to those of their partitions, and answers their sum. */
function book(partitions: Map<string, number> | undefined, uses: readonly Use[] = []): number {
  for (const { partition, units } of uses) partitions?.set(partition, (partitions.get(partition) ?? 0) + units)
  return uses.reduce((sum, { units }) => sum + units, 0)
}

/** A query for some attributes or for a count costs as much as one for all: it is sent as one for all, to know their size. */
function ofWholeItems({ ProjectionExpression: some, Select: _count, ...input }: Any): Any {
  const names = Object.entries(input.ExpressionAttributeNames ?? {}).filter(
    ([name]) => !some?.split(', ').includes(name),
  )
  return some ? { ...input, ExpressionAttributeNames: Object.fromEntries(names) } : input
}

const noEntry = (): Entry => ({
  calls: 0,
  waves: 0,
  reads: 0,
  writes: 0,
  readPartitions: new Map(),
  partitions: new Map(),
  actions: 0,
  sent: [],
})

async function quiet(count: () => number): Promise<void> {
  for (let turns = 0, seen = count(); turns < QUIET_TURNS; turns++) {
    await turn()
    if (count() !== seen) turns = -1
    seen = count()
  }
}

/** The table's indexes as serverless.yml has them. */
export async function tableIndexes(): Promise<Index[]> {
  const { GlobalSecondaryIndexes = [] } = await tableDefinition()
  return GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    name: IndexName ?? '',
    hash: KeySchema?.[0]?.AttributeName ?? '',
    range: KeySchema?.[1]?.AttributeName ?? '',
    projected: Projection?.NonKeyAttributes ?? [],
  }))
}

type Call = { command: string; input: Any; run: () => Promise<Outcome>; deliver: (outcome: Outcome) => void }
type Outcome = { answer: { value: Any } | { error: unknown }; cost: Cost }

async function priced(table: Table, command: string, input: Any, run: () => Promise<Any>): Promise<Outcome> {
  const rule = rules[command]
  // A Scan reads the whole table, and what has no rule here would be free: neither may go unnoticed.
  if (!rule) return { answer: { error: new Error(`The ledger has no price for ${command}`) }, cost: {} }
  let answer: Outcome['answer'] = { error: undefined }
  const cost = await rule(table, input, async () => {
    answer = await run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    return 'value' in answer ? answer.value.output : undefined
  })
  return { answer, cost }
}

type Rule = (table: Table, input: Any, run: () => Promise<Any>) => Promise<Cost>

const rules: Record<string, Rule> = {
  BatchGetItemCommand: async (_table, input, run) => {
    const output = await run()
    const [[name, { Keys, ConsistentRead = false }]] = Object.entries<Any>(input.RequestItems) as [[string, Any]]
    const found: Item[] = output?.Responses?.[name] ?? []
    const items = new Map(found.map((item) => [textOfKey(item), item]))
    const reads = Keys.map((key: Key) => {
      const item = items.get(textOfKey(key))
      return { partition: key.pk, units: readUnits(item ? itemSize(item) : 0, ConsistentRead) }
    })
    return { reads }
  },
  QueryCommand: async (_table, input, run) => {
    const output = await run()
    const bytes = (output?.Items ?? []).reduce((sum: number, item: Item) => sum + itemSize(item), 0)
    const hash = input.ExpressionAttributeValues[':hash']
    const partition = input.IndexName ? `${input.IndexName} ${hash}` : hash
    return { reads: [{ partition, units: readUnits(bytes, input.ConsistentRead ?? false) }] }
  },
  TransactWriteItemsCommand: async (table, { TransactItems }, run) => {
    // A check is prepared and committed like a write; a refused transaction has done the work of a whole one.
    const actions = TransactItems.map((it: Any) => it.Put ?? it.Update ?? it.Delete ?? it.ConditionCheck)
    const writes = await writeUnits(table, actions[0].TableName, actions.map(keyOf), { run, transactional: true })
    return { writes, actions: actions.length }
  },
  BatchWriteItemCommand: async (table, { RequestItems }, run) => {
    const [[name, requests]] = Object.entries<Any>(RequestItems) as [[string, Any[]]]
    const keys = requests.map(({ PutRequest, DeleteRequest }) => keyOf(PutRequest ?? DeleteRequest))
    return { writes: await writeUnits(table, name, keys, { run, transactional: false }) }
  },
}

const keyOf = ({ Item, Key }: Any): Key => ({ pk: (Item ?? Key).pk, sk: (Item ?? Key).sk })

async function writeUnits(
  { spectator, indexes }: Table,
  name: string,
  keys: readonly Key[],
  { run, transactional }: { run: () => Promise<unknown>; transactional: boolean },
): Promise<Use[]> {
  const before = await images(spectator, name, keys)
  await run()
  const after = await images(spectator, name, keys)
  return keys.flatMap(({ pk }, index) => {
    const [was, is] = [before[index], after[index]]
    return [{ partition: pk, units: tableUnits(was, is, transactional) }, ...indexWrites(was, is, indexes)]
  })
}

async function images(
  client: DynamoDBDocumentClient,
  name: string,
  keys: readonly Key[],
): Promise<(Item | undefined)[]> {
  const RequestItems = { [name]: { Keys: [...keys], ConsistentRead: true } }
  const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand({ RequestItems }))
  if (UnprocessedKeys?.[name]) throw new Error('Too much to look at in one read')
  const items = (Responses?.[name] ?? []) as Item[]
  const found = new Map(items.map((item) => [`${item.pk}\n${item.sk}`, item]))
  return keys.map(({ pk, sk }) => found.get(`${pk}\n${sk}`))
}
