// npm run bench [-- P2 P3 …]: measures the promised speed, as ratios within one run or in processor time where
// possible, and prints the table for docs/performance.md. Exits with 1 if a promise is missed.
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { chooseEngine, engineIn, engineName, startDatabase } from '../database/engine.ts'
import { step } from '../shared/progress.ts'
import { type Bench, type Figure, noteIn, tableOf } from './figures.ts'
import { consoleInBrowser } from './parts/console.ts'
import { crowdedChannel } from './parts/crowdedChannel.ts'
import { delivering } from './parts/delivering.ts'
import { distribution } from './parts/distribution.ts'
import { engines } from './parts/engines.ts'
import { filing } from './parts/filing.ts'
import { firstCall } from './parts/firstCall.ts'
import { growth } from './parts/growth.ts'
import { importing } from './parts/importing.ts'
import { loading } from './parts/loading.ts'
import { millionUsers } from './parts/million.ts'
import { overHttp } from './parts/overHttp.ts'
import { overload } from './parts/overload.ts'
import { planning } from './parts/planning.ts'
import { provisioning } from './parts/provisioning.ts'
import { ruling } from './parts/ruling.ts'
import { storms } from './parts/storm.ts'
import { throughput } from './parts/throughput.ts'
import { verifying } from './parts/verifying.ts'
import { warm } from './parts/warm.ts'

/** Each part is a function that gets the database and notes its figures. */
const parts: Record<string, [title: string, run: (bench: Bench) => Promise<void>]> = {
  P2: ['Loading of bundles, in fresh processes', loading],
  P3: ['Warm calls, with and without the database', warm],
  P4: ['A channel that many groups share', crowdedChannel],
  P5: ['The same questions to a small and a large directory', growth],
  MILLION: ['Any page and any search among a million users', millionUsers],
  HTTP: ['Any page, any search and an export over HTTP, as npm start runs the service', overHttp],
  P6: ['Lives of users through the handlers', throughput],
  P10: ['The first call of a process', firstCall],
  ENGINES: ['The default engine and DynamoDB Local', engines],
  P7: ['Import of a large directory', importing],
  P8: ['A task for a channel of 10,000', distribution],
  RULES: ['Changes of users among rules, and a rule for many', ruling],
  PLANS: ['Plans: worked out, made and taken back', planning],
  FILES: ['Plans of files: large ones, one row, and a million', filing],
  HOOKS: ['Changes and their deliveries to three webhooks', delivering],
  VERIFY: ['npm run verify of a table with a million users', verifying],
  SCIM: ['Provisioning by SCIM and by our own API', provisioning],
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
