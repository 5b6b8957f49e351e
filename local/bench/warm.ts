import { randomUUID } from 'node:crypto'
import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'
import { type Entry, keepLedger } from '../../test/harness/ledger.ts'
import { loadDirectory } from '../../test/harness/manyUsers.ts'
import type { Directory } from '../demo.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { byTurns, median, ratio } from './timing.ts'
import { caller, clientFor, enter, newWorld, type Request, type World } from './world.ts'

const ALONE = 2_000
const ROUNDS = 150
const WARM_UP = 30
const MOST_MS = 0.2
const MOST_RATIO = 1.25

/** A read can use the same user again; a change or creation needs a new one each time. */
type Case = { endpoint: string; request: (id: string) => Request; asks: 'known' | 'unchanged' | 'new' }

const user = (id: string): Request => ({ path: { user_id: id } })
const cases: readonly Case[] = [
  { endpoint: 'getUser', request: user, asks: 'known' },
  { endpoint: 'listUsers', request: () => ({ query: { page_limit: '25' } }), asks: 'known' },
  { endpoint: 'lockUser', request: user, asks: 'unchanged' },
  {
    endpoint: 'updateUser',
    request: (id) => ({ ...user(id), body: { email: `${id}@new.example`, tags: [{ name: 'new' }] } }),
    asks: 'unchanged',
  },
  { endpoint: 'createUser', request: (id) => ({ body: person(id) }), asks: 'new' },
]

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of any command
type Any = any
type Sent = Entry['sent']
type Answer = { input: Any; output: Any }

const person = (id: string) => ({ ...newPerson(id), primary_user_group_id: 'all-users' })
const idOf = (n: number): string => `u${String(n).padStart(6, '0')}`

/** P3: the work of a warm call outside the database, and the ratio of its duration to the bare SDK calls that it needs. */
export async function warm(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  const changed = cases.filter(({ asks }) => asks === 'unchanged').length * 2 * (ROUNDS + WARM_UP)
  const users = cases.length + changed
  const directory: Directory = { users: Array.from({ length: users }, (_, n) => person(idOf(n))) }
  await loadDirectory(world.store, directory, { now: world.now, onProgress: (n) => say(`${n} of ${users} users made`) })
  const unchanged = ids(0)
  const unknown = ids(users)
  const rows: Row[] = []
  for (const one of cases) {
    say(one.endpoint)
    const next = one.asks === 'new' ? unknown : unchanged
    const template = next()
    rows.push(...(await compared(world, one, { template, next: one.asks === 'known' ? () => template : next })))
  }
  return rows
}

function ids(from: number): () => string {
  let n = from
  return () => idOf(n++)
}

type Alone = { usual: number; newToken: number }
type Ids = { template: string; next: () => string }

async function compared(world: World, one: Case, { template, next }: Ids): Promise<Row[]> {
  const { sent, answers } = await recorded(world, one, template)
  const alone = await handlerAlone(world, await caller(one.endpoint, one.request(template)), answers)
  enter(world, world.client)
  const { whole, sdk } = await byTurns(
    {
      whole: await rounds(async () => caller(one.endpoint, one.request(next()))),
      sdk: await rounds(async () => bareCalls(world.client, sent, template, next())),
    },
    { rounds: ROUNDS, warmUp: WARM_UP },
  )
  return [
    atMost('P3', `${one.endpoint}: work outside the database`, alone.usual, MOST_MS, ' ms'),
    info('P3', `${one.endpoint}: the same with a token not seen before`, `${shown(alone.newToken)} ms`),
    atMost('P3', `${one.endpoint}: whole call ÷ bare SDK calls`, ratio(whole, sdk), MOST_RATIO),
    info('P3', `${one.endpoint}: whole call, bare SDK calls`, `${shown(median(whole))} ms, ${shown(median(sdk))} ms`),
  ]
}

/** Prepares the calls of all rounds, so that only the calls are measured. */
async function rounds(make: () => Promise<() => Promise<unknown>>): Promise<(round: number) => Promise<unknown>> {
  const calls: (() => Promise<unknown>)[] = []
  for (let n = 0; n < ROUNDS + WARM_UP; n++) calls.push(await make())
  return (round) => calls[round]?.() ?? Promise.reject(new Error('No such round'))
}

/** The requests of one call, wave by wave, with their answers. */
export async function recorded(
  world: World,
  { endpoint, request }: Pick<Case, 'endpoint' | 'request'>,
  id: string,
): Promise<{ sent: Sent; answers: Answer[] }> {
  const client = clientFor(world.endpoint)
  const answers: Answer[] = []
  client.middlewareStack.add(
    (go) => async (args) => {
      const { output } = await go(args)
      answers.push({ input: args.input, output })
      return { output, response: undefined }
    },
    { step: 'initialize', priority: 'high', name: 'record' },
  )
  const ledger = await keepLedger(client, world.client)
  enter(world, client)
  const call = await caller(endpoint, request(id))
  const { entry } = await ledger.of(call)
  return { sent: entry.sent, answers }
}

type Call = () => Promise<unknown>

/** The handler's own time: its requests are answered at once, with recorded answers. */
async function handlerAlone(world: World, call: Call, answers: readonly Answer[]): Promise<Alone> {
  const replay = replayOf(answers)
  const again = (isTokenNew: boolean) => () => {
    enter(world, replay, isTokenNew)
    return call()
  }
  const times = await byTurns({ usual: again(false), newToken: again(true) }, { rounds: ALONE, warmUp: 2 * ALONE })
  return { usual: median(times.usual), newToken: median(times.newToken) }
}

/**
 * Answers reads by what they ask for: a new token is verified after the first reads are sent, so the order of requests and
 * what is read in one batch are not those of the recorded call. Writes succeed.
 */
function replayOf(answers: readonly Answer[]): DynamoDBDocumentClient {
  const keyOf = ({ pk, sk }: Any) => JSON.stringify([pk, sk])
  const items = new Map<string, Any>()
  const pages = new Map<string, Any>()
  for (const { input, output } of answers) {
    if (input.KeyConditionExpression) pages.set(JSON.stringify(input), output)
    for (const item of Object.values<Any>(output.Responses ?? {}).flat()) items.set(keyOf(item), item)
  }
  const found = (keys: readonly Any[]) => keys.flatMap((key) => items.get(keyOf(key)) ?? [])
  const answerTo = ({ input }: Any): Any => {
    if (input.KeyConditionExpression) return pages.get(JSON.stringify(input))
    const reads = Object.entries<Any>(input.RequestItems ?? {}).filter(([, { Keys }]) => Keys)
    return { Responses: Object.fromEntries(reads.map(([table, { Keys }]) => [table, found(Keys)])) }
  }
  return { send: async (command: Any) => answerTo(command) } as unknown as DynamoDBDocumentClient
}

const commands: Record<string, new (input: Any) => Any> = {
  BatchGetItemCommand: BatchGetCommand,
  BatchWriteItemCommand: BatchWriteCommand,
  QueryCommand: QueryCommand,
  TransactWriteItemsCommand: TransactWriteCommand,
}

/** The same requests for another user, in the same waves. */
export function wavesFor(sent: Sent, template: string, id: string): Sent {
  const forAnother = (input: Any): Any => {
    const text = JSON.stringify(input).replaceAll(template.slice(1), id.slice(1))
    const { ClientRequestToken, ...rest } = JSON.parse(text)
    return ClientRequestToken ? { ...rest, ClientRequestToken: randomUUID() } : rest
  }
  return sent.map((wave) => wave.map(({ command, input }) => ({ command, input: forAnother(input) })))
}

/** Sends them by the bare SDK. */
function bareCalls(client: DynamoDBDocumentClient, sent: Sent, template: string, id: string): () => Promise<unknown> {
  const waves = wavesFor(sent, template, id)
  return async () => {
    for (const wave of waves)
      await Promise.all(wave.map(({ command, input }) => client.send(new (commands[command] as Any)(input))))
  }
}
