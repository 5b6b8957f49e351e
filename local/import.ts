// npm run import -- FILE: imports a directory into the local table, or with --aws into a deployed one.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { importDirectory } from '../domain/import/importDirectory.ts'
import type { ImportContext } from '../domain/import/importStore.ts'
import {
  conflictLines,
  differenceLines,
  faultLines,
  ImportRefused,
  type ImportSummary,
  talliesOf,
} from '../domain/import/importSummary.ts'
import { importProgress } from './importProgress.ts'
import { openTable, tableFault, useLocalTable } from './localTable.ts'
import { readJson } from './readJson.ts'

const help = `Usage: npm run import -- FILE [--aws]

Imports a directory, a JSON file with the records of schemas/directory.ts. It is checked whole first: of a file with
faults nothing is imported. Importing the same file again changes nothing. What others have taken meanwhile is left out and
listed; the command then ends with status 1.

The table is the local one, unless the environment names another:
  TABLE_NAME         the table (rollcall)
  DYNAMODB_PORT      port of the local DynamoDB (8000)
  DYNAMODB_ENDPOINT  where DynamoDB is, in place of http://localhost:<DYNAMODB_PORT>

--aws imports into TABLE_NAME of AWS_REGION, with the credentials of the environment. From outside an AWS network the
function importDirectory of a deployed stack is faster.
`

const mostFaults = 100
const mostListed = 20

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { aws: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  const [file] = positionals
  if (values.help) return said(help, 0)
  if (file === undefined || positionals.length > 1) return failed(help)
  if (values.aws && !process.env.TABLE_NAME) return failed('TABLE_NAME must name the table of the deployed stack.')
  // npm runs scripts in the project's folder; INIT_CWD is where it was called.
  const directory = await readJson(resolve(process.env.INIT_CWD ?? '', file), file)
  if (values.aws) delete process.env.DYNAMODB_ENDPOINT
  else await useLocalTable()
  return bringIn(directory, values.aws ? { atOnce: 4 } : {})
}

const bringIn = async (directory: unknown, also: Pick<ImportContext, 'atOnce'>): Promise<number> => {
  const progress = importProgress(process.stdout)
  const context: ImportContext = {
    store: openTable(),
    now: new Date().toISOString(),
    clock: () => new Date(),
    newId: randomUUID,
    onProgress: progress.show,
    ...also,
  }
  try {
    const summary = await importDirectory(context, directory)
    progress.end()
    const lines = [table(summary), ...kept(summary), ...leftOut(summary)]
    return said(lines.join('\n'), summary.conflicts.length > 0 ? 1 : 0)
  } catch (error) {
    progress.end()
    if (!(error instanceof ImportRefused)) return failed(tableFault(error))
    const [headline] = error.message.split('\n')
    return failed([...faultLines(error.faults, mostFaults), `${headline}.`].join('\n'))
  }
}

const kept = (summary: ImportSummary): string[] =>
  summary.differences.length === 0
    ? []
    : ['', 'Stored with other values than in the file, and kept as they are:', ...differenceLines(summary, mostListed)]

const leftOut = (summary: ImportSummary): string[] =>
  summary.conflicts.length === 0
    ? []
    : ['', 'Left out, as others have taken or changed this meanwhile:', ...conflictLines(summary, mostListed)]

const table = (summary: ImportSummary): string => {
  const cells = Object.entries(talliesOf(summary)).map(([section, tally]) => [
    section,
    ...Object.values(tally).map(String),
  ])
  const head = ['', 'created', 'updated', 'unchanged', 'different', 'skipped', 'conflicts']
  const line = (row: string[]) => row.map((cell, n) => (n === 0 ? cell.padEnd(22) : cell.padStart(11))).join('')
  return [head, ...cells].map(line).join('\n')
}

const said = (text: string, code: number): number => {
  console.log(text)
  return code
}

const failed = (text: string): number => {
  console.error(text)
  return 1
}

process.exitCode = await run().catch((error: Error) => failed(error.message))
