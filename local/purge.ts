// npm run purge: runs the schedule once, on the local table.
import { readLayout } from '../domain/table/layout.ts'
import { handler } from '../handlers/maintenance/purge.ts'
import { environment } from '../handlers/middleware/environment.ts'
import { openTable, tableFault, useLocalTable } from './database/openTable.ts'
import { command } from './shared/command.ts'
import { readable } from './start/readableLog.ts'

const help = `Usage: npm run purge

Runs the schedule once on the local table: finishes noted work and removes users past their deadline.

The table is the local one, unless TABLE_NAME (rollcall), DYNAMODB_PORT (8000) or DYNAMODB_ENDPOINT name another.
`

const run = async (): Promise<number> => {
  if (process.argv.length > 2) {
    console.log(help)
    return process.argv[2] === '--help' || process.argv[2] === '-h' ? 0 : 1
  }
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
