// npm run purge: runs the schedule once, on the local table.
import { parseArgs } from 'node:util'
import { readLayout } from '../domain/table/layout.ts'
import { handler } from '../handlers/maintenance/purge.ts'
import { environment } from '../handlers/middleware/environment.ts'
import { localTableHelp, openTable, tableFault, useLocalTable } from './database/openTable.ts'
import { command, said } from './shared/command.ts'
import { readable } from './start/readableLog.ts'

const help = `Usage: npm run purge

Runs the schedule once on the local table: finishes noted work, announces service tokens that end soon, and removes users past
their deadline. npm start does so every second.

${localTableHelp}
`

const run = async (): Promise<number> => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help) return said(help)
  await useLocalTable()
  // Without a table each step of the function would fail with a stack trace.
  await readLayout(openTable())
  environment.log = (line) => {
    for (const text of readable(JSON.stringify(line))) console.log(text)
  }
  const { purged, failed, stopped } = await handler({}, {
    getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY,
  } as never)
  console.log(`${purged} ${purged === 1 ? 'user' : 'users'} removed${failed > 0 ? `, ${failed} failed` : ''}.`)
  if (stopped) console.error('The database is busy or cannot be reached: run the command again.')
  return failed > 0 || stopped ? 1 : 0
}

await command(run, tableFault)
