import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../../../handlers/middleware/environment.ts'
import { keepLedger } from '../../../test/harness/ledger.ts'
import type { Bench } from '../figures.ts'
import { load } from '../fill.ts'
import { newPerson } from '../sampleRecords.ts'
import { byTurns, median, ratio } from '../timing.ts'
import { caller, clientFor, enter, newWorld, type Request, type World } from '../world.ts'
import { sendBare, type Waves } from './bareCalls.ts'

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
  { endpoint: 'createUser', request: (id) => ({ body: newPerson(id) }), asks: 'new' },
]

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of any command
type Any = any
type Answer = { input: Any; output: Any }

const idOf = (n: number): string => `u${String(n).padStart(6, '0')}`
const idsFrom = (first: number) => () => idOf(first++)

/** P3: the work of a warm call outside the database, and the ratio of its duration to the bare SDK calls that it needs. */
export async function warm(bench: Bench): Promise<void> {
  const world = await newWorld(bench.endpoint)
  const changed = cases.filter(({ asks }) => asks === 'unchanged').length * 2 * (ROUNDS + WARM_UP)
  const users = cases.length + changed
  await load(world, { users: Array.from({ length: users }, (_, n) => newPerson(idOf(n))) }, bench.say)
  const [unchanged, unknown] = [idsFrom(0), idsFrom(users)]
  for (const one of cases) {
    const next = one.asks === 'new' ? unknown : unchanged
    const template = next()
    await compare(bench, world, { ...one, template, next: one.asks === 'known' ? () => template : next })
  }
}

type Ids = { template: string; next: () => string }

async function compare({ say, atMost, info }: Bench, world: World, { endpoint, request, template, next }: Case & Ids) {
  say(endpoint)
  const { sent, answers } = await recorded(world, endpoint, request(template))
  const alone = await handlerAlone(world, await caller(endpoint, request(template)), answers)
  enter(world)
  const { whole, sdk } = await byTurns(
    {
      whole: await prepared(async () => caller(endpoint, request(next()))),
      sdk: await prepared(async () => {
        const waves = wavesFor(sent, template, next())
        return () => sendBare(world.client, waves)
      }),
    },
    { rounds: ROUNDS, warmUp: WARM_UP },
  )
  atMost(`${endpoint}: work outside the database`, alone, MOST_MS, ' ms')
  atMost(`${endpoint}: whole call ÷ bare SDK calls`, ratio(whole, sdk), MOST_RATIO)
  info(`${endpoint}: whole call, bare SDK calls`, [median(whole), median(sdk)], ' ms')
}

/** Prepares the calls of all rounds, so that only the calls are measured. */
async function prepared(make: () => Promise<() => Promise<unknown>>): Promise<(round: number) => Promise<unknown>> {
  const calls: (() => Promise<unknown>)[] = []
  for (let n = 0; n < ROUNDS + WARM_UP; n++) calls.push(await make())
  // The answer of a call is not a measurement.
  return async (round) => void (await calls[round]?.())
}

/** The requests of one call, wave by wave, with their answers. */
export async function recorded(world: World, endpoint: string, request: Request) {
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
  enterAtItsTime(world, client)
  const { entry } = await ledger.of(await caller(endpoint, request))
  return { sent: entry.sent as Waves, answers }
}

/** With the clock of the table's creation, so that the same call makes the same requests. */
function enterAtItsTime(world: World, client: DynamoDBDocumentClient): void {
  enter(world, { client })
  environment.clock = () => new Date(world.now)
}

/** The handler's own time: its requests are answered at once, with recorded answers. */
async function handlerAlone(world: World, call: () => Promise<unknown>, answers: readonly Answer[]): Promise<number> {
  const replay = replayOf(answers)
  const again = async () => {
    enterAtItsTime(world, replay)
    await call()
  }
  const { alone } = await byTurns({ alone: again }, { rounds: ALONE, warmUp: 2 * ALONE })
  return median(alone)
}

/**
 * Answers reads by what they ask for: the token is remembered by then, so what is read in one batch is not as in the recorded
 * call. Writes succeed.
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

/** The same requests for another user, in the same waves. */
export function wavesFor(sent: Waves, template: string, id: string): Waves {
  const forAnother = (input: Any): Any => {
    const text = JSON.stringify(input).replaceAll(template.slice(1), id.slice(1))
    const { ClientRequestToken, ...rest } = JSON.parse(text)
    return ClientRequestToken ? { ...rest, ClientRequestToken: randomUUID() } : rest
  }
  return sent.map((wave) => wave.map(({ command, input }) => ({ command, input: forAnother(input) })))
}
