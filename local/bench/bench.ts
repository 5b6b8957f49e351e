// npm run bench [-- P2 P3 …]: measures the promised speed, as ratios within one run or in processor time where
// possible, and prints the table for docs/performance.md. Exits with 1 if a promise is missed.
import { availableParallelism, loadavg } from 'node:os'
import { chooseEngine, engineIn, engineName, startDatabase } from '../engine.ts'
import { step } from '../progress.ts'
import { crowdedChannel } from './crowdedChannel.ts'
import { delivering } from './delivering.ts'
import { distribution } from './distribution.ts'
import { engines } from './engines.ts'
import { firstCall } from './firstCall.ts'
import { growth } from './growth.ts'
import { importing } from './importing.ts'
import { loading } from './loading.ts'
import { millionUsers } from './million.ts'
import { overHttp } from './overHttp.ts'
import { overload } from './overload.ts'
import { planning } from './planning.ts'
import { provisioning } from './provisioning.ts'
import { type Row, reportOf, type Say } from './report.ts'
import { ruling } from './ruling.ts'
import { storms } from './storm.ts'
import { throughput } from './throughput.ts'
import { verifying } from './verifying.ts'
import { warm } from './warm.ts'

type Section = { title: string; run: (endpoint: string, say: Say) => Promise<Row[]> }

const sections: Record<string, Section> = {
  P2: { title: 'Loading of bundles, in fresh processes', run: (_endpoint, say) => loading(say) },
  P3: { title: 'Warm calls, with and without the database', run: warm },
  P4: { title: 'A channel that many groups share', run: crowdedChannel },
  P5: { title: 'The same questions to a small and a large directory', run: growth },
  MILLION: { title: 'Any page and any search among a million users', run: millionUsers },
  HTTP: { title: 'Any page, any search and an export over HTTP, as npm start runs the service', run: overHttp },
  P6: { title: 'Lives of users through the handlers', run: throughput },
  P10: { title: 'The first call of a process', run: firstCall },
  ENGINES: { title: 'The default engine and DynamoDB Local', run: engines },
  P7: { title: 'Import of a large directory', run: importing },
  P8: { title: 'A task for a channel of 10,000', run: distribution },
  RULES: { title: 'Changes of users among rules, and a rule for many', run: ruling },
  PLANS: { title: 'Plans: worked out, made and taken back', run: planning },
  HOOKS: { title: 'Changes and their deliveries to three webhooks', run: delivering },
  VERIFY: { title: 'npm run verify of a table with a million users', run: verifying },
  SCIM: { title: 'Provisioning by SCIM and by our own API', run: provisioning },
  STORM: { title: 'Everybody finishes one task', run: storms },
  OVERLOAD: { title: 'A table that throttles for half a minute', run: overload },
}

const wanted = (process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections)).map((one) => one.toUpperCase())
const unknown = wanted.filter((name) => !sections[name])
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. Sections: ${Object.keys(sections).join(', ')}`)
  process.exit(2)
}

const engine = chooseEngine({ wanted: engineIn(process.env) })
const database = await step(`Starting ${engineName(engine)}`, () => startDatabase({ engine, port: 0 }))
const rows: Row[] = []
try {
  for (const name of wanted) {
    const { title, run } = sections[name] as Section
    rows.push(...(await step(`${name}: ${title}`, (note) => run(database.endpoint, note))))
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
console.log(reportOf(rows))
const missed = rows.filter(({ passed }) => !passed)
if (missed.length > 0) {
  console.log(`\n${missed.length} of ${rows.filter(({ limit }) => limit !== '').length} missed.`)
  process.exitCode = 1
}
