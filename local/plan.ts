// npm run plan: makes a plan of a file, shows what it would change, applies it, takes it back.
import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Client } from '../client/src/index.ts'
import { applyPlan, firstChanges, firstFaults, makePlan, readPlan, sendFile, whileIn } from './plan/planCalls.ts'
import { changeLine, faultLine, type Plan, planLines, under } from './plan/planOutput.ts'
import { fileOptions, fileRequest, rowsIn } from './plan/planRequest.ts'
import { callersPath } from './shared/callersPath.ts'
import { command, failed, said } from './shared/command.ts'
import { progressLine } from './shared/progressLine.ts'
import { serviceClient, serviceFault, serviceHelp, serviceOptions } from './shared/serviceClient.ts'

const help = `Usage: npm run plan -- FILE [OPTION...]      plans what the file says, and shows it
       npm run plan -- --id ID               shows a plan
       npm run plan -- --undo ID             plans to take back a plan
       each with --apply                     applies the plan, too

Nothing is changed without --apply. More than 100 changes, or any deletion, are applied once somebody has typed their number, or
where --planned N names it. docs/plans.md shows the whole way from a spreadsheet.

What the file is:
  --format FORMAT     CSV or JSONL; CSV unless FILE ends in .jsonl
  --column HEADER=FIELD   the field of a column whose header does not say it; HEADER= leaves the column out
  --match-by FIELD    whom a row is about: EXTERNAL_ID (if not given), USERNAME or ID
  --title TITLE       the title of the plan; the name of the file if not given

What is planned:
  --full              the file has everybody, as --absent needs
  --absent ACTION     people who are not in the file: KEEP (if not given), DEACTIVATE or DELETE
  --absent-among NAME=VALUE   among whom people may be absent: attribute:department=Warehouse, status=ACTIVE, role=USER,
                      search_term=…, tag=…, user_group_id=…, role_id=…, or all alone. Several must all match.
  --rows N            how many people are in the file, as the system that wrote it says: half a file is refused
  --include-administrators    administrators can be absent, too
  --empty CLEAR       an empty cell clears the field; otherwise it says nothing about it
  --pending RESTORE   a person who is to be deleted and is in the file again is restored
  --unlock            status ACTIVE unlocks, too
  --limits LIMITS     such as changed_percent=20,lifecycle_percent=5,cleared_percent=5,changes=1000
  --on-fault REFUSE   one fault refuses the plan; otherwise its row is left out

${serviceHelp}`

/** The most lines of changes and of faults that are shown. */
const mostShown = 20
/** So many changes are applied without another question. */
const mostUnasked = 100

const { show, end } = progressLine(process.stderr)

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      id: { type: 'string' },
      undo: { type: 'string' },
      apply: { type: 'boolean', default: false },
      planned: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      ...fileOptions,
      ...serviceOptions,
    },
  })
  if (values.help) return said(help)
  const { id, undo, planned } = values
  const [file] = positionals
  if (positionals.length + [id, undo].filter((one) => one !== undefined).length !== 1)
    return failed('Give one file, or --id, or --undo; --help shows all options.')
  if (planned !== undefined && !/^\d+$/.test(planned)) return failed(`--planned ${planned} must be a number.`)
  const client = serviceClient(values)
  const made = file === undefined ? await makeOrRead(client, id, undo) : await planFile(client, file, values)
  const plan = await whileIn('CHECKING', client, made.id, show).finally(end)
  await print(client, plan)
  return values.apply ? apply(client, plan, planned) : said(whatNext(plan), badEnds.includes(plan.state) ? 1 : 0)
}

/** The file of a plan that waits again was not what had been sent. */
const badEnds: Plan['state'][] = ['REFUSED', 'WAITING']

const whatNext = ({ id, state, counts: { planned } }: Plan): string =>
  state === 'READY' && planned > 0 ? `\nNothing is changed. To apply it: npm run plan -- --id ${id} --apply` : ''

/** Applies a plan, once its number of changes is agreed to. */
async function apply(client: Client, plan: Plan, planned: string | undefined): Promise<number> {
  if (plan.state !== 'READY') return failed(`\nIt cannot be applied, as it is ${plan.state}.`)
  if (plan.counts.planned === 0) return said('\nThere is nothing to apply.')
  const number = planned === undefined ? await agreed(client, plan) : Number(planned)
  return number === undefined ? 1 : carryOut(client, plan.id, number)
}

type Values = Parameters<typeof fileRequest>[1]

/** Makes a plan of a file, and starts its check. */
async function planFile(client: Client, file: string, values: Values): Promise<Plan> {
  const [path, rows, body] = [callersPath(file), rowsIn(values), fileRequest(file, values)]
  await access(path).catch(() => {
    throw new Error(`${file} cannot be read.`)
  })
  const plan = await makePlan(client, body)
  const ending = new AbortController()
  const onSignal = () => ending.abort(new Error('Ended before the file was sent. The plan is cancelled.'))
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, onSignal)
  await sendFile(client, plan.id, { path, rows, show, signal: ending.signal }).finally(end)
  for (const signal of signals) process.off(signal, onSignal)
  return plan
}

const makeOrRead = (client: Client, id: string | undefined, undo: string | undefined): Promise<Plan> =>
  id === undefined ? makePlan(client, { kind: 'UNDO', plan_id: undo }) : readPlan(client, id)

/** Prints what a plan is, its first changes and its first faults. */
async function print(client: Client, plan: Plan): Promise<void> {
  const changes = await firstChanges(client, plan.id, mostShown)
  const faults = await firstFaults(client, plan.id, mostShown)
  const of = (shown: number, all: number) => (shown < all ? `, the first ${shown} of ${all}` : '')
  const lines = [
    ...planLines(plan),
    ...under(
      `Changes${of(changes.length, plan.counts.planned)}:`,
      changes.map((change) => changeLine(change, plan.kind)),
    ),
    ...under(
      `Faults${of(faults.length, plan.counts.faults)} (row 1 is the first below the header):`,
      faults.map(faultLine),
    ),
  ]
  console.log(lines.join('\n'))
}

/** The number of changes, if somebody agrees; undefined, with a line that says what to do, if nobody does. */
async function agreed(client: Client, { id, counts: { planned } }: Plan): Promise<number | undefined> {
  const deletions = await firstChanges(client, id, 1, { action: ['DELETE'] })
  if (planned <= mostUnasked && deletions.length === 0) return planned
  const why = deletions.length > 0 ? 'It deletes users' : `It has more than ${mostUnasked} changes`
  if (!process.stdin.isTTY) {
    failed(`\n${why}: give --planned ${planned} once you have read it. Nothing is changed.`)
    return undefined
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`\n${why}. Type ${planned} to apply it: `).finally(() => terminal.close())
  if (answer.trim() === String(planned)) return planned
  failed('Nothing is changed.')
  return undefined
}

/** Applies a plan to its end, and prints what became of it. */
async function carryOut(client: Client, id: string, planned: number): Promise<number> {
  await applyPlan(client, id, planned)
  const plan = await whileIn('APPLYING', client, id, show).finally(end)
  const left = await firstChanges(client, id, mostShown, { outcome: ['SKIPPED', 'FAILED'] })
  const lines = [
    '',
    ...planLines(plan),
    ...under(
      'Not done:',
      left.map((change) => changeLine(change, plan.kind)),
    ),
    ...(plan.counts.done > 0 ? ['', `To take it back: npm run plan -- --undo ${id}`] : []),
  ]
  return said(lines.join('\n'), plan.state === 'DONE' && left.length === 0 ? 0 : 1)
}

await command(run, serviceFault)
