import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundle } from '../build/bundle.ts'
import { info, type Row, type Say, shown } from './report.ts'
import { median } from './timing.ts'

const ROUNDS = 31
const root = fileURLToPath(new URL('../../', import.meta.url))
const measured = ['getUser', 'listUsers', 'createUser', 'updateUsers']

/** The SDK alone, bundled as usual: the client, and the document client with our four commands. */
const bare = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, BatchGetCommand, BatchWriteCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
let client
export const handler = (name, input) =>
  (client ??= DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' })))
    .send(new { BatchGetCommand, BatchWriteCommand, QueryCommand, TransactWriteCommand }[name](input))
`
const loader = `const before = process.cpuUsage(), at = performance.now()
require(process.argv[1])
const ms = performance.now() - at, { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ ms, cpu: (user + system) / 1000 }))`

type Load = { ms: number; cpu: number }

/** P2: how long a function's bundle takes to load in a fresh process, against the bare SDK built the same way. */
export async function loading(say: Say): Promise<Row[]> {
  // Inside node_modules, so that the bundler finds the packages and git ignores it.
  const folder = mkdtempSync(join(root, 'node_modules', '.bench-'))
  try {
    writeFileSync(join(folder, 'bare.ts'), bare)
    await bundle({ entry: join(folder, 'bare.ts'), outfile: join(folder, 'bare.cjs'), whole: true })
    await bundle({ entry: join(folder, 'bare.ts'), outfile: join(folder, 'cut.cjs') })
    for (const name of measured)
      await bundle({ entry: join(root, `handlers/users/${name}.ts`), outfile: join(folder, `${name}.cjs`) })
    return rowsOf(await loadTimes(folder, ['bare', 'cut', ...measured], say))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Compares processor time: loading waits for nothing, and other work on the machine disturbs this least. */
function rowsOf(times: Map<string, Load>): Row[] {
  const [sdk, cut] = [times.get('bare') as Load, times.get('cut') as Load]
  const row = (name: string): Row => {
    const { ms, cpu } = times.get(name) as Load
    const measured = `${shown(cpu)} ms (${shown(ms)} ms with waiting)`
    return { bar: 'P2', what: `load ${name}`, measured, limit: `≤ ${shown(sdk.cpu)} ms`, passed: cpu <= sdk.cpu }
  }
  return [
    ...measured.map(row),
    info('P2', 'the bare SDK as it is', `${shown(sdk.cpu)} ms (${shown(sdk.ms)} ms with waiting)`),
    info('P2', 'the bare SDK, cut as our bundles are', `${shown(cut.cpu)} ms (${shown(cut.ms)} ms with waiting)`),
  ]
}

async function loadTimes(folder: string, names: readonly string[], say: Say): Promise<Map<string, Load>> {
  const times = new Map(names.map((name) => [name, [] as Load[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const time = await loadTime(join(folder, `${name}.cjs`))
      // The first round fills the file cache.
      if (round > 0) times.get(name)?.push(time)
    }
    say(`round ${round} of ${ROUNDS}, one fresh process for each of ${names.length} bundles`)
  }
  const middle = (all: readonly Load[]) => ({
    ms: median(all.map(({ ms }) => ms)),
    cpu: median(all.map(({ cpu }) => cpu)),
  })
  return new Map([...times].map(([name, all]) => [name, middle(all)]))
}

async function loadTime(file: string): Promise<Load> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', loader, file], { cwd: tmpdir() })
  return JSON.parse(stdout)
}
