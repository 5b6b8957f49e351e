import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../build/bundle.ts'
import { root } from '../../shared/root.ts'
import type { Bench } from '../figures.ts'
import { inProcess } from '../processes.ts'
import { byTurns, median } from '../timing.ts'

const ROUNDS = 31
const measured = ['getUser', 'listUsers', 'createUser', 'updateUsers']

/** The SDK alone, bundled as usual: the client, and the document client with our four commands. */
const bare = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, BatchGetCommand, BatchWriteCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
let client
export const handler = (name, input) =>
  (client ??= DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' })))
    .send(new { BatchGetCommand, BatchWriteCommand, QueryCommand, TransactWriteCommand }[name](input))
`
const loader = `const before = process.cpuUsage()
require(process.argv[1])
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)`

/**
 * P2: how long a function's bundle takes to load in a fresh process, against the bare SDK. In processor time: loading waits for
 * nothing, and other work on the machine disturbs this least.
 */
export async function bundleLoading({ atMost, info, say }: Bench): Promise<void> {
  // Inside node_modules, so that the bundler finds the packages and git ignores it.
  const folder = mkdtempSync(join(root, 'node_modules', '.bench-'))
  const fileOf = (name: string) => join(folder, `${name}.cjs`)
  try {
    writeFileSync(join(folder, 'bare.ts'), bare)
    await bundle({ entry: join(folder, 'bare.ts'), outfile: fileOf('bare'), whole: true })
    for (const name of measured) await bundle({ entry: join(root, `handlers/users/${name}.ts`), outfile: fileOf(name) })
    const load = (name: string) => async (round: number) => {
      say(`round ${round} of ${ROUNDS}, a fresh process for each bundle`)
      return Number(await inProcess(loader, fileOf(name)))
    }
    // The first round fills the file cache.
    const times = await byTurns(Object.fromEntries(['bare', ...measured].map((name) => [name, load(name)])), {
      rounds: ROUNDS,
      warmUp: 1,
    })
    const limit = median(times['bare'] ?? [])
    for (const name of measured) atMost(`load ${name}`, median(times[name] ?? []), limit, ' ms')
    info('load the bare SDK', [limit], ' ms')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
