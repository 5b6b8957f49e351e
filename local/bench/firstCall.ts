import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { audience, issuer, publicKey } from '../../test/harness/tokens.ts'
import { bundle } from '../build/bundle.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { median, ratio } from './timing.ts'
import { recorded, wavesFor } from './warm.ts'
import { lambdaEvent, newWorld, type Request } from './world.ts'

const ROUNDS = 41
const MOST_RATIO = 1.1
/** The id in the recorded requests; each call has another one of the same length. */
const TEMPLATE = 'u900000'
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a bundle's handler once, and returns the age of the process and its processor time at the end. */
const once = `const { handler } = require(process.argv[1])
const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 29_000 }
handler(JSON.parse(process.env.EVENT), context).then(({ statusCode, body }) => {
  const ms = performance.now(), { user, system } = process.cpuUsage()
  require('node:fs').writeSync(1, JSON.stringify({ ms, cpu: (user + system) / 1000, statusCode, body }))
  process.exit()
})`

const cases: readonly { endpoint: string; request: (id: string) => Request }[] = [
  { endpoint: 'getUser', request: () => ({ path: { user_id: 'admin' } }) },
  { endpoint: 'createUser', request: (id) => ({ body: newPerson(id) }) },
]

type First = { ms: number; cpu: number }

/**
 * P10: from the start of a process to the answer of its first call, against a handler with the bare SDK that verifies the same
 * token and sends the same requests.
 */
export async function firstCall(endpoint: string, say: Say): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'first-call-'))
  const keys = createServer((_request, response) => response.end(JSON.stringify({ keys: [publicKey()] })))
  await new Promise<void>((listening) => keys.listen(0, '127.0.0.1', listening))
  const jwksUri = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`
  try {
    const bare = join(folder, 'bare.cjs')
    await bundle({ entry: join(root, 'local/bench/bareHandler.ts'), outfile: bare, whole: true })
    const rows: Row[] = []
    for (const one of cases) {
      const ours = join(folder, `${one.endpoint}.cjs`)
      await bundle({ entry: join(root, `handlers/users/${one.endpoint}.ts`), outfile: ours })
      rows.push(...(await compared({ ...one, endpoint, name: one.endpoint, ours, bare, jwksUri }, say)))
    }
    return rows
  } finally {
    keys.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Case = {
  endpoint: string
  name: string
  request: (id: string) => Request
  ours: string
  bare: string
  jwksUri: string
}

async function compared({ endpoint, name, request, ours, bare, jwksUri }: Case, say: Say): Promise<Row[]> {
  // A table for each case, as a process reads the layout of a new table.
  const world = await newWorld(endpoint)
  const { sent } = await recorded(world, { endpoint: name, request }, TEMPLATE)
  const env = {
    TABLE_NAME: world.tableName,
    DYNAMODB_ENDPOINT: endpoint,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    TOKEN_JWKS_URI: jwksUri,
  }
  let calls = 0
  const answerOf = (file: string) => {
    const id = `u${String(calls++).padStart(TEMPLATE.length - 1, '0')}`
    return firstAnswer(file, env, { ...lambdaEvent(request(id)), waves: wavesFor(sent, TEMPLATE, id) })
  }
  const handlers = [
    { file: ours, answers: [] as First[] },
    { file: bare, answers: [] as First[] },
  ] as const
  for (let round = 0; round <= ROUNDS; round++) {
    say(`${name}: round ${round} of ${ROUNDS}, a fresh process for each of two handlers`)
    for (const { file, answers } of round % 2 === 0 ? handlers : handlers.toReversed()) {
      const first = await answerOf(file)
      // The first round fills the file cache.
      if (round > 0) answers.push(first)
    }
  }
  const times = (of: keyof First) =>
    handlers.map(({ answers }) => answers.map((one) => one[of])) as [number[], number[]]
  const medians = (of: keyof First) => times(of).map((all) => `${shown(median(all))} ms`)
  return [
    atMost('P10', `${name}: first answer ÷ that of a bare handler`, ratio(...times('ms')), MOST_RATIO),
    info('P10', `${name}: from the start of the process, bare handler`, medians('ms').join(', ')),
    info('P10', `${name}: processor time until then, bare handler`, medians('cpu').join(', ')),
  ]
}

async function firstAnswer(file: string, env: Record<string, string>, event: object): Promise<First> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', once, file], {
    cwd: tmpdir(),
    env: { ...env, PATH: process.env['PATH'], EVENT: JSON.stringify(event), POWERTOOLS_METRICS_NAMESPACE: 'Rollcall' },
  })
  const { statusCode, body, ...first } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  if (statusCode >= 300) throw new Error(`${file} answered ${body}`)
  return first
}
