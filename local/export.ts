// npm run export: writes the users of the local service, or of another one, as a file that spreadsheets and plans read.
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { exportUsers, type UserFilter } from '../client/src/index.ts'
import { callersPath } from './shared/callersPath.ts'
import { command, failed, said } from './shared/command.ts'
import { filtersIn } from './shared/filterOptions.ts'
import { progressLine } from './shared/progressLine.ts'
import { serviceClient, serviceFault, serviceHelp, serviceOptions } from './shared/serviceClient.ts'

const help = `Usage: npm run export -- --out FILE [--format CSV|JSONL] [--filter NAME=VALUE]...

Writes all users who are not pending deletion, or those of the filters, with a column for each attribute. npm run plan reads such a file.

  --out FILE           the file; it is there once it is whole. Without it: standard output, as in
                       npm run --silent export > users.csv
  --format FORMAT      CSV for spreadsheets, or JSONL for programs, an object a line; CSV unless FILE ends in .jsonl
  --filter NAME=VALUE  a filter of the list of users: status=ACTIVE,LOCKED, role=ADMIN, search_term=mull,
                       username=…, external_id=…, attribute:department=Sales. Several must all match.

${serviceHelp}`

const filters = { several: ['status', 'role'], one: ['search_term', 'username', 'external_id'] }

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      format: { type: 'string' },
      filter: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
      ...serviceOptions,
    },
  })
  if (values.help) return said(help)
  const { out, filter } = values
  const format = values.format ?? (out?.endsWith('.jsonl') ? 'JSONL' : 'CSV')
  if (format !== 'CSV' && format !== 'JSONL') return failed(`--format ${format}: use CSV or JSONL.`)
  if (out === undefined && addsLines(process.env))
    return failed('npm would write lines of its own into the file: use --out FILE, or npm run --silent export.')
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => ending.abort(new Error('Ended before the file was whole.')))
  const progress = progressLine(process.stderr)
  let written = 0
  const lines = exportUsers(serviceClient(values), {
    format,
    filter: filtersIn('--filter', filter, filters) as UserFilter,
    signal: ending.signal,
    onProgress: ({ done, total }) => {
      written = done
      progress.show({ section: 'users', done, total })
    },
  })
  await (out === undefined ? print(lines) : writeWhole(callersPath(out), lines)).finally(progress.end)
  console.error(`${written} users${out === undefined ? '' : ` in ${out}`}.`)
  return 0
}

/** Whether npm writes the name of the script to the file that stdout is. */
const addsLines = (env: NodeJS.ProcessEnv): boolean =>
  !process.stdout.isTTY && env['npm_lifecycle_event'] !== undefined && env['npm_config_loglevel'] !== 'silent'

type Lines = AsyncIterable<string>

const print = (lines: Lines): Promise<void> =>
  pipeline(Readable.from(lines), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // Who reads it has seen enough, as `head` has after ten lines.
    if (error.code !== 'EPIPE') throw error
  })

/** Puts the file in its place once it is whole: half of it would look like an organisation with fewer people. Only its owner may read it. */
const writeWhole = async (path: string, lines: Lines): Promise<void> => {
  const unfinished = `${path}.part`
  try {
    const file = await open(unfinished, 'w', 0o600)
    await pipeline(Readable.from(lines), file.createWriteStream())
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

await command(run, serviceFault)
