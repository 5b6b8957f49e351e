// npm run import -- FILE: imports a directory into the local table, or with --aws into a deployed one.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type ImportContext, onAws } from '../domain/import/importContext.ts'
import { importDirectory } from '../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../domain/import/importErrors.ts'
import { importLines } from '../domain/import/importLines.ts'
import { conflictLines, differenceLines, type ImportSummary, talliesOf } from '../domain/import/importSummary.ts'
import { prepareLayout } from '../domain/maintenance/migrate.ts'
import { systemCause } from '../domain/table/actions.ts'
import { openTable, tableFault, tableHelp, tableOptions, useTable } from './database/openTable.ts'
import { callersPath } from './shared/callersPath.ts'
import { command, failed, said } from './shared/command.ts'
import { progressLine } from './shared/progressLine.ts'
import { linesIn, readJson } from './shared/readFiles.ts'

const help = `Usage: npm run import -- FILE... [--table NAME] [--aws]

Imports directories, one after the other: JSON files with the records of schemas/directory.ts, or files of lines, ending in
.jsonl, of any size (docs/import.md). Each file is checked first: nothing is imported from a file with faults. Importing the
same file again changes nothing. Records whose name or id somebody else takes meanwhile are left out and listed; the command
then ends with status 1.

${tableHelp}

From outside an AWS network the functions importDirectory and importFile of a deployed stack are faster than --aws.
`

const mostFaults = 100
const mostListed = 20

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...tableOptions, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return said(help)
  if (positionals.length === 0) return failed(help)
  await useTable(values)
  const imports: Import[] = []
  for (const file of positionals) imports.push(await importOf(file))
  return inTurn(imports, values.aws ? onAws() : {})
}

/** Imports files one after the other, and stops if one is refused or fails. */
const inTurn = async (imports: readonly Import[], also: Partial<ImportContext>): Promise<number> => {
  let code = 0
  for (const one of imports) {
    const progress = progressLine(process.stdout)
    const summary = await bringIn(one, { onProgress: progress.show, ...also }).finally(progress.end)
    code = said(summaryLines(summary).join('\n'), summary.conflicts.length > 0 ? 1 : code)
  }
  return code
}

type Import = (context: ImportContext) => Promise<ImportSummary>

/** How to import a file. A document is read as a whole before the import. */
const importOf = async (file: string): Promise<Import> => {
  const path = callersPath(file)
  if (file.endsWith('.jsonl')) {
    const source = await linesIn(path, file)
    return (context) => importLines(context, source)
  }
  const directory = await readJson(path, file)
  return (context) => importDirectory(context, directory)
}

const bringIn = async (one: Import, also: Partial<ImportContext>): Promise<ImportSummary> => {
  const store = openTable().causedBy(systemCause('import'))
  await prepareLayout(store)
  return one({ store, now: new Date().toISOString(), clock: () => new Date(), newId: randomUUID, ...also })
}

/** Why an import failed: its faults, one per line, or the error. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof ImportRefused)) return tableFault(error)
  const [headline] = error.message.split('\n')
  return [...faultLines(error.faults, mostFaults), `${headline}.`].join('\n')
}

const summaryLines = (summary: ImportSummary): string[] => [
  table(summary),
  ...under('Stored with other values than in the file, and kept as they are:', differenceLines(summary, mostListed)),
  ...under('Left out, as somebody else has taken or changed this meanwhile:', conflictLines(summary, mostListed)),
]

const under = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', title, ...lines])

const table = (summary: ImportSummary): string => {
  const cells = Object.entries(talliesOf(summary)).map(([section, tally]) => [
    section,
    ...Object.values(tally).map(String),
  ])
  const head = ['', 'created', 'updated', 'unchanged', 'different', 'skipped', 'conflicts']
  const line = (row: string[]) => row.map((cell, n) => (n === 0 ? cell.padEnd(22) : cell.padStart(11))).join('')
  return [head, ...cells].map(line).join('\n')
}

await command(run, reasonOf)
