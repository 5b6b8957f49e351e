// npm run bench [-- P2 P3 …]: measures the promised speed, as ratios within one run or in processor time where
// possible, and prints the table for docs/performance.md. Exits with 1 if a promise is missed.
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bench, type Figure, noteIn, tableOf } from './bench/figures.ts'
import { bundleLoading } from './bench/parts/bundleLoading.ts'
import { channelTask } from './bench/parts/channelTask.ts'
import { consoleInBrowser } from './bench/parts/console.ts'
import { crowdedChannel } from './bench/parts/crowdedChannel.ts'
import { delivering } from './bench/parts/delivering.ts'
import { engines } from './bench/parts/engines.ts'
import { files } from './bench/parts/files.ts'
import { firstCall } from './bench/parts/firstCall.ts'
import { growth } from './bench/parts/growth.ts'
import { importing } from './bench/parts/importing.ts'
import { millionUsers } from './bench/parts/millionUsers.ts'
import { overHttp } from './bench/parts/overHttp.ts'
import { overload } from './bench/parts/overload.ts'
import { plans } from './bench/parts/plans.ts'
import { rules } from './bench/parts/rules.ts'
import { scim } from './bench/parts/scim.ts'
import { storms } from './bench/parts/storm.ts'
import { throughput } from './bench/parts/throughput.ts'
import { verifying } from './bench/parts/verifying.ts'
import { warm } from './bench/parts/warm.ts'
import { chooseEngine, engineIn, engineName, startDatabase } from './database/engine.ts'
import { step } from './shared/step.ts'

/** Each part is a function that gets the database and notes its figures. */
const parts: Record<string, [title: string, run: (bench: Bench) => Promise<void>]> = {
  P2: ['Loading of bundles, in fresh processes', bundleLoading],
  P3: ['Warm calls, with and without the database', warm],
  P4: ['A channel that many groups share', crowdedChannel],
  P5: ['The same questions to a small and a large directory', growth],
  MILLION: ['Any page and any search among a million users', millionUsers],
  HTTP: ['Any page, any search and an export over HTTP, as npm start runs the service', overHttp],
  P6: ['Lives of users through the handlers', throughput],
  P10: ['The first call of a process', firstCall],
  ENGINES: ['The default engine and DynamoDB Local', engines],
  P7: ['Import of a large directory', importing],
  P8: ['A task for a channel of 10,000', channelTask],
  RULES: ['Changes of users among rules, and a rule for many', rules],
  PLANS: ['Plans: worked out, made and taken back', plans],
  FILES: ['Plans of files: large ones, one row, and a million', files],
  HOOKS: ['Changes and their deliveries to three webhooks', delivering],
  VERIFY: ['npm run verify of a table with a million users', verifying],
  SCIM: ['Provisioning by SCIM and by our own API', scim],
  STORM: ['Everybody finishes one task', storms],
  CONSOLE: ['The console in a browser, with a large directory', consoleInBrowser],
  OVERLOAD: ['A table that throttles for half a minute', overload],
}

const { positionals } = parseArgs({ allowPositionals: true })
const wanted = positionals.length > 0 ? positionals.map((name) => name.toUpperCase()) : Object.keys(parts)
const unknown = wanted.filter((name) => !parts[name])
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}

const engine = chooseEngine({ wanted: engineIn(process.env) })
const database = await step(`Starting ${engineName(engine)}`, () => startDatabase({ engine, port: 0 }))
const figures: Figure[] = []
try {
  for (const part of wanted) {
    const [title, run] = parts[part] as (typeof parts)[string]
    const note = noteIn(figures, part)
    await step(`${part}: ${title}`, async (say) => {
      await run({ endpoint: database.endpoint, say, ...note }).catch((error: Error) => {
        console.error(error)
        note.exactly('the part as a whole', error.message, 'measured')
      })
    })
  }
} finally {
  await database.stop()
}

const [load = 0] = loadavg()
console.log(
  `\nNode ${process.version}, ${availableParallelism()} cores, load ${load.toFixed(1)} at the end. Times are medians of`,
)
console.log(
  'measurements taken by turns: on a machine that is busy with other things the ratios hold, milliseconds less so.\n',
)
console.log(tableOf(figures))
const missed = figures.filter(({ isMissed }) => isMissed)
if (missed.length > 0) {
  console.log(`\n${missed.length} of ${figures.filter(({ promised }) => promised !== '').length} missed.`)
  process.exitCode = 1
}
