import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audience, issuer, publicKey } from '../../../test/harness/tokens.ts'
import { bundle } from '../../build/bundle.ts'
import { root } from '../../shared/root.ts'
import type { Bench } from '../figures.ts'
import { inProcess } from '../processes.ts'
import { newPerson } from '../sampleRecords.ts'
import { byTurns, median, ratio } from '../timing.ts'
import { lambdaEvent, newWorld, type Request } from '../world.ts'
import { recorded, wavesFor } from './warm.ts'

const ROUNDS = 41
const MOST_RATIO = 1.1
/** The id in the recorded requests; each call has another one of the same length. */
const TEMPLATE = 'u900000'

/** Runs a bundle's handler once, and prints the age of the process at the end. */
const oneCall = `const { handler } = require(process.argv[1])
const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 29_000 }
handler(JSON.parse(process.env.EVENT), context).then(({ statusCode, body }) => {
  const ms = performance.now()
  require('node:fs').writeSync(1, statusCode < 300 ? String(ms) : body)
  process.exit()
})`

const cases: Record<string, (id: string) => Request> = {
  getUser: () => ({ path: { user_id: 'admin' } }),
  createUser: (id) => ({ body: newPerson(id) }),
}

/**
 * P10: from the start of a process to the answer of its first call, against a handler with the bare SDK that verifies the same
 * token and sends the same requests.
 */
export async function firstCall(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'first-call-'))
  const keys = createServer((_request, response) => response.end(JSON.stringify({ keys: [publicKey()] })))
  await once(keys.listen(0, '127.0.0.1'), 'listening')
  const jwksUri = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`
  try {
    const bare = join(folder, 'bare.cjs')
    await bundle({ entry: join(root, 'local/bench/parts/bareHandler.ts'), outfile: bare, whole: true })
    for (const [name, request] of Object.entries(cases)) {
      const ours = join(folder, `${name}.cjs`)
      await bundle({ entry: join(root, `handlers/users/${name}.ts`), outfile: ours })
      await compare(bench, { name, request, ours, bare, jwksUri })
    }
  } finally {
    keys.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Case = { name: string; request: (id: string) => Request; ours: string; bare: string; jwksUri: string }

async function compare(
  { endpoint, say, atMost, info }: Bench,
  { name, request, ours, bare, jwksUri }: Case,
): Promise<void> {
  // A table for each case, as a process reads the layout of a new table.
  const world = await newWorld(endpoint)
  const { sent } = await recorded(world, name, request(TEMPLATE))
  const env = {
    TABLE_NAME: world.tableName,
    DYNAMODB_ENDPOINT: endpoint,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    TOKEN_JWKS_URI: jwksUri,
    POWERTOOLS_METRICS_NAMESPACE: 'Rollcall',
  }
  let calls = 0
  const answered = (file: string) => async (round: number) => {
    say(`${name}: round ${round} of ${ROUNDS}, a fresh process for each of two handlers`)
    const id = `u${String(calls++).padStart(TEMPLATE.length - 1, '0')}`
    const event = { ...lambdaEvent(request(id)), waves: wavesFor(sent, TEMPLATE, id) }
    const printed = await inProcess(oneCall, file, { ...env, EVENT: JSON.stringify(event) })
    if (!Number(printed)) throw new Error(`${file} answered ${printed}`)
    return Number(printed)
  }
  // The first round fills the file cache.
  const times = await byTurns({ ours: answered(ours), bare: answered(bare) }, { rounds: ROUNDS, warmUp: 1 })
  atMost(`${name}: first answer ÷ that of a bare handler`, ratio(times.ours, times.bare), MOST_RATIO)
  info(`${name}: from the start of the process, bare handler`, [median(times.ours), median(times.bare)], ' ms')
}
