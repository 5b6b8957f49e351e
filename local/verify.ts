// npm run verify: checks a whole table against its rules. package.json limits its heap to 256 MB: without a limit, garbage piles up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemCause } from '../domain/table/actions.ts'
import { documentClient } from '../domain/table/documentClient.ts'
import { openTable, tableFault, tableHelp, tableOptions, useTable } from './database/openTable.ts'
import { command, said } from './shared/command.ts'
import { step } from './shared/step.ts'
import { repair } from './verify/repair.ts'
import { openCopy } from './verify/tableCopy.ts'
import { type Outcome, readTable, verify } from './verify/verify.ts'

const help = `Usage: npm run verify -- [--table NAME] [--aws] [--copy FILE] [--details] [--repair]

Reads a whole table and checks that its records, counters, reserved names, lists, events and noted work agree. Ends with
status 1 if they do not. Without --repair it changes nothing. During writes to the table, unfinished work counts as a finding.

${tableHelp}
  --copy FILE    reads into this file, which needs as much space as the table. If the command is interrupted, the same command
                 continues. The file holds personal data and is deleted at the end. The default is a temporary file
  --details      shows what was found and expected; both may hold personal data
  --repair       corrects the roles of users who hold other roles by rule than rules say, and has deleted rules applied. Needs the right to
                 write the table. Run the command once more to check
`

const mostShown = 100

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      ...tableOptions,
      copy: { type: 'string' },
      details: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return said(help)
  await useTable(values)
  if (values.copy) return check(values.copy, values)
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-verify-'))
  try {
    return await check(join(folder, 'copy.sqlite'), values)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Attempts of a scan if the table is busy: many, as no caller waits. */
const SCAN_ATTEMPTS = 10

const check = async (file: string, asked: { details: boolean; repair: boolean }): Promise<number> => {
  const name = process.env.TABLE_NAME ?? ''
  const copy = openCopy(file, name)
  try {
    await step(copy.size() > 0 ? `Reading ${name}, on from ${copy.size()} items` : `Reading ${name}`, (note) =>
      readTable(documentClient(process.env, {}, SCAN_ATTEMPTS), name, {
        copy,
        note: (read, about) => note(`${read} of about ${about} items`),
      }),
    )
    const outcome = await step('Checking what was read', async (note) =>
      verify(copy, new Date().toISOString(), (checked, of) => note(`${checked} of ${of} users`)),
    )
    copy.remove()
    const repaired = asked.repair
      ? await repair(openTable().causedBy(systemCause('verify')), outcome.repairs)
      : undefined
    const lines = [...linesOf(outcome, asked.details), ...repairLines(outcome, repaired)]
    return said(lines.join('\n'), outcome.count > 0 ? 1 : 0)
  } finally {
    copy.close()
  }
}

/** What was put right, or can be. */
function repairLines({ repairs: { users, hasStopped } }: Outcome, repaired: number | undefined): string[] {
  if (repaired !== undefined) return [`The roles of ${repaired} users were corrected. Run the command again to check.`]
  return users.size > 0 || hasStopped ? ['With --repair, the same command puts right what is about rules.'] : []
}

function linesOf({ items, users, work, findings, count }: Outcome, isDetailed: boolean): string[] {
  const shown = findings
    .slice(0, mostShown)
    .flatMap(({ what, found, expected }) => [
      `- ${what}`,
      ...(isDetailed ? [`    found    ${JSON.stringify(found)}`, `    expected ${JSON.stringify(expected)}`] : []),
    ])
  return [
    `${items} items, ${users} users, ${work} entries of work to do.`,
    count === 0 ? 'Everything agrees.' : `${count} findings:`,
    ...shown,
    ...(count > mostShown ? [`and ${count - mostShown} more`] : []),
    ...(work > 0 && count > 0 ? ['Some may come from work that is not done yet: npm run purge does it.'] : []),
  ]
}

await command(run, tableFault)
