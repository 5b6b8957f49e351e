import { isDeepStrictEqual } from 'node:util'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { compareBytes } from '../../domain/base/text.ts'
import { itemsWithUser, type UserRecord, users } from '../../domain/people/records/user.ts'
import { externalMark } from '../../domain/people/records/userSearch.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { externalIdKey, userKey, usernameKey } from '../../domain/table/keys.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import { entryOf, type Index, itemSize } from '../../test/harness/capacity.ts'
import { tableIndexes } from '../../test/harness/ledger.ts'
import { userRecord } from '../../test/harness/seed.ts'
import { cpuMsSince } from './timing.ts'

const MEGABYTE = 1024 * 1024

// biome-ignore lint/suspicious/noExplicitAny: input and output of any command
type Any = any

/**
 * Users who are made up from a rule when they are read. They differ only in a number of a fixed length, so that they have
 * the same order in every sort.
 */
export type Crowd = {
  size: number
  digits: (n: number) => string
  person: (n: number) => UserRecord
  numberOf: (id: string) => number | undefined
}

/** People whose names, departments and dates differ only in their numbers. */
export const numberedPeople = (size: number): Crowd => ({
  size,
  digits,
  person: (n) =>
    userRecord(
      {
        // The end of the name decides which item has which word: it is the same for all users.
        id: `${digits(n)}-m`,
        external_id: externalIdOf(digits(n)),
        first_name: `Anna${digits(n)}`,
        last_name: `Lindberg${digits(n)}`,
        username: `anna.lindberg.${digits(n)}`,
        email: `anna.lindberg.${digits(n)}@large.example`,
        attributes: [
          { name: 'department', value: 'Logistics' },
          { name: 'location', value: 'Kiel' },
        ],
      },
      '2026-01-01T00:00:00.000Z',
    ),
  numberOf: (id) => (/^\d{7}-m$/.test(id) ? Number(id.slice(0, 7)) : undefined),
})

const digits = (n: number): string => String(n).padStart(7, '0')
const externalIdOf = (number: string): string => `E-${number}`

/** A partition of an index: its rows by number, in order. */
type Partition = { size: number; row: (n: number) => Item; bytes: number }

/** The processor time of making rows, and the largest memory at a read. */
type Effort = { cpuMs: number; mostHeap: number }

/**
 * Answers a client's reads of a crowd in place of the database, with the rows that createUser would have written, in pages
 * as AWS ends them: after a megabyte of what the index holds. Everything else goes to the database.
 */
export async function answerWithGeneratedRows(client: DynamoDBDocumentClient, crowd: Crowd): Promise<Effort> {
  const indexes = await tableIndexes()
  const partitionIn = partitions(crowd)
  const effort: Effort = { cpuMs: 0, mostHeap: 0 }
  const answered = (answer: () => Any): Any => {
    const before = process.cpuUsage()
    try {
      return { output: answer(), response: {} }
    } finally {
      globalThis.gc?.()
      effort.mostHeap = Math.max(effort.mostHeap, process.memoryUsage().heapUsed)
      effort.cpuMs += cpuMsSince(before)
    }
  }
  const pageOf = (input: Any): Any => {
    const index = indexes.find(({ name }) => name === input.IndexName)
    const partition = index && partitionIn(index, input.ExpressionAttributeValues[':hash'])
    return partition && answered(() => page(partition, index, input))
  }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'BatchGetItemCommand') return withRecords(crowd, answered, next, args)
      return (context.commandName === 'QueryCommand' && pageOf(args.input)) || next(args)
    },
    { step: 'initialize', name: 'answerWithGeneratedRows' },
  )
  return effort
}

/** The partitions in which a crowd has rows: each row of the first person represents one row of every person. */
function partitions(crowd: Crowd): (index: Index, hash: string) => Partition | undefined {
  const read = new Map<string, Partition | undefined>()
  return (index, hash) => {
    const name = `${index.name} ${hash}`
    if (!read.has(name)) read.set(name, partitionOf(crowd, index, hash))
    return read.get(name)
  }
}

function partitionOf({ size, digits, person }: Crowd, index: Index, hash: string): Partition | undefined {
  const rowsOf = (n: number): Item[] =>
    [itemOf(users, person(n)), ...itemsWithUser(person(n))].flatMap((item) => {
      const row = item[index.hash] === hash ? entryOf(item, index) : undefined
      return row ?? []
    })
  const first = inOrder(rowsOf(0), index)
  if (first.length === 0) return undefined
  const makers = first.map((row) => rowMaker(row, digits(0)))
  const row = (n: number): Item => makers[Math.floor(n / size)]?.(digits(n % size)) as Item
  for (const n of [1, size - 1])
    if (
      !isDeepStrictEqual(
        makers.map((make) => make(digits(n))),
        inOrder(rowsOf(n), index),
      )
    )
      throw new Error(`The rows of ${index.name} ${hash} are more than a number apart`)
  return { size: size * first.length, row, bytes: Math.max(...first.map(itemSize)) }
}

const inOrder = (rows: readonly Item[], { range }: Index): Item[] =>
  rows.toSorted((a, b) => compareBytes(String(a[range]), String(b[range])))

/** Makes the row of one person that of another, by their numbers. The mark of the external id is a hash of it. */
function rowMaker(row: Item, number: string): (number: string) => Item {
  const mark = externalMark(externalIdOf(number))
  const parts = Object.entries(row).map(([name, value]) => {
    const isMarked = name === 'hint' && String(value).endsWith(mark)
    const text = isMarked ? String(value).slice(0, -mark.length) : String(value)
    return { name, isMarked, texts: text.split(number) }
  })
  return (other) =>
    Object.fromEntries(
      parts.map(({ name, isMarked, texts }) => [
        name,
        `${texts.join(other)}${isMarked ? externalMark(externalIdOf(other)) : ''}`,
      ]),
    ) as Item
}

/** The number of rows of a partition before a key; `isWithIt` also counts the row with this key. */
function before({ size, row }: Partition, { range }: Index, place: string, isWithIt: boolean): number {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = (low + high) >> 1
    const order = compareBytes(String(row(middle)[range]), place)
    if (order < 0 || (isWithIt && order === 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows that a query can see: from the first, up to the one before the end. */
function bounds(partition: Partition, index: Index, input: Any): { first: number; end: number } {
  const { ':from': from, ':to': to } = input.ExpressionAttributeValues
  const start = input.ExclusiveStartKey?.[index.range]
  // A lower bound by itself leaves out its own place: see queryOf.
  const first = from === undefined ? 0 : before(partition, index, from, to === undefined)
  const end = to === undefined ? partition.size : before(partition, index, to, true)
  if (start === undefined) return { first, end }
  return input.ScanIndexForward === false
    ? { first, end: Math.min(end, before(partition, index, start, false)) }
    : { first: Math.max(first, before(partition, index, start, true)), end }
}

/** A page of a partition, as a query asks for it. */
function page(partition: Partition, index: Index, input: Any): Any {
  const { first, end } = bounds(partition, index, input)
  const [step, from] = input.ScanIndexForward === false ? [-1, end - 1] : [1, first]
  const Items: Item[] = []
  const most = Math.min(end - first, input.Limit ?? Number.POSITIVE_INFINITY, Math.ceil(MEGABYTE / partition.bytes))
  while (Items.length < most) Items.push(partition.row(from + step * Items.length))
  const { hash, range } = index
  const last = Items.length < end - first ? Items.at(-1) : undefined
  const LastEvaluatedKey = last && { pk: last.pk, sk: last.sk, [hash]: last[hash], [range]: last[range] }
  return { Items, Count: Items.length, LastEvaluatedKey }
}

/** Records of the crowd are made up, others are read. */
async function withRecords(
  { person, numberOf }: Crowd,
  answered: (answer: () => Any) => Any,
  next: (args: Any) => Promise<Any>,
  args: Any,
): Promise<Any> {
  const { input } = args
  const [[table, { Keys, ...how }]] = Object.entries<Any>(input.RequestItems) as [[string, Any]]
  const items = (Keys as Key[]).map((key) => {
    const n = key.sk === userKey('').sk ? numberOf(key.pk.slice('USER#'.length)) : undefined
    return n === undefined ? reservationIn(person, key) : itemOf(users, person(n))
  })
  const made = items.filter((item) => item !== undefined)
  if (made.length === 0) return next(args)
  const others = (Keys as Key[]).filter((_, n) => items[n] === undefined)
  const read =
    others.length > 0
      ? await next({ ...args, input: { RequestItems: { [table]: { ...how, Keys: others } } } })
      : undefined
  return answered(() => ({ Responses: { [table]: [...made, ...(read?.output.Responses?.[table] ?? [])] } }))
}

/** The reservation of a name of somebody: the names of all people end with their numbers. */
function reservationIn(person: Crowd['person'], { pk, sk }: Key): Item | undefined {
  const number = isName(pk) ? /\d{7}$/.exec(pk)?.[0] : undefined
  if (number === undefined) return undefined
  return itemsWithUser(person(Number(number))).find((item) => item.pk === pk && item.sk === sk)
}
const isName = (pk: string): boolean => [usernameKey(''), externalIdKey('')].some((key) => pk.startsWith(key.pk))
