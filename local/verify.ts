// npm run verify: holds a table against its own rules.
import { parseArgs } from 'node:util'
import { documentClient } from '../domain/table/dynamo.ts'
import { command, said } from './command.ts'
import { tableFault, useTable } from './localTable.ts'
import { step } from './progress.ts'
import { readTable, type Verdict, verify } from './verify/verify.ts'

const help = `Usage: npm run verify -- [--table NAME] [--aws] [--details]

Reads a whole table and says whether its records, counters, reserved names, lists and work entries fit each other. Ends with
status 1 if not. Nobody may write to the table meanwhile, or what is half done counts as a finding. It changes nothing.

The table is the local one, unless TABLE_NAME (rollcall), DYNAMODB_PORT (8000) or DYNAMODB_ENDPOINT name another.
  --table NAME   the table
  --aws          a table of AWS_REGION, with the credentials of the environment
  --details      shows what was found and expected; both may hold personal data
`

const mostFindings = 100

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      table: { type: 'string' },
      aws: { type: 'boolean' },
      details: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return said(help)
  await useTable(values)
  const name = process.env.TABLE_NAME ?? ''
  const items = await step(`Reading ${name}`, (note) =>
    readTable(documentClient(), name, (read, about) => note(`${read} of about ${about} items`)),
  )
  const verdict = await step('Holding them against each other', async () => verify(items, new Date().toISOString()))
  return said(linesOf(verdict, values.details).join('\n'), verdict.findings.length > 0 ? 1 : 0)
}

function linesOf({ items, users, work, findings }: Verdict, isDetailed: boolean): string[] {
  const shown = findings
    .slice(0, mostFindings)
    .flatMap(({ what, found, expected }) => [
      `- ${what}`,
      ...(isDetailed ? [`    found    ${JSON.stringify(found)}`, `    expected ${JSON.stringify(expected)}`] : []),
    ])
  const more = findings.length - mostFindings
  return [
    `${items} items, ${users} users, ${work} pieces of work to do.`,
    findings.length === 0 ? 'All of it fits.' : `${findings.length} do not fit:`,
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(work > 0 && findings.length > 0
      ? ['Some may come from work that is not done yet: npm run purge does it.']
      : []),
  ]
}

await command(run, tableFault)
