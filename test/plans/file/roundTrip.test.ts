import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Client, createClient, exportUsers, uploadPlanFile } from '../../../client/src/index.ts'
import type { UserRecord } from '../../../domain/people/records/user.ts'
import type { Any } from '../../harness/call.ts'
import { people } from '../../harness/seed.ts'
import { serveHandlers } from '../../harness/served.ts'
import { type Service, startService } from '../../harness/service.ts'
import { tokenFor } from '../../harness/tokens.ts'
import { trickyUsers } from '../../harness/trickyUsers.ts'
import { changes, faults, get, work } from '../plans.ts'

// What leaves as a file comes back as the same people: an export, planned as it is, changes nobody.

let service: Service
let client: Client
let stop: () => void
const start = async (users: Partial<UserRecord>[]) => {
  service = await startService({ indexes: 'all', users: [...people, ...users] })
  const served = await serveHandlers()
  stop = served.stop
  client = createClient({ baseUrl: served.baseUrl, token: () => ({ access_token: tokenFor('admin') }) })
}
afterEach(() => stop())

const exported = async (format: 'CSV' | 'JSONL'): Promise<string> => {
  let text = ''
  for await (const piece of exportUsers(client, { format })) text += piece
  return text
}

const PLANS = '/api/admin/organisations/v4/plans'

/** The plan of a file that has everybody, and what it finds. */
async function planned(file: string | Uint8Array<ArrayBuffer>, options: object) {
  const body = { kind: 'FILE' as const, mode: 'FULL' as const, match_by: 'ID' as const, ...options }
  const { data: plan } = await client.POST(PLANS, { body })
  const sent = await uploadPlanFile(client, plan.id, new Blob([file]))
  const params = { path: { plan_id: plan.id } }
  await client.POST(`${PLANS}/{plan_id}/check`, { params, body: sent })
  await work(service, plan.id)
  return { plan: await get(plan.id), changes: await changes(plan.id), faults: await faults(plan.id) }
}

const nothing = (rows: number) => ({
  plan: { state: 'READY', fault: null, counts: { rows, unchanged: rows, planned: 0, faults: 0 }, ignored_columns: [] },
  changes: [],
  faults: [],
})

describe('an export as it is', () => {
  test.each([1, 2, 3, 4])('changes nothing in directory %i', async (seed) => {
    const users = trickyUsers(120, seed)
    await start(users)
    const rows = people.length + users.filter(({ status }) => status !== 'PENDING_DELETION').length
    expect(await planned(await exported('CSV'), {})).toMatchObject(nothing(rows))
    expect(await planned(await exported('CSV'), { empty: 'CLEAR' })).toMatchObject(nothing(rows))
    expect(await planned(await exported('JSONL'), { format: 'JSONL', empty: 'CLEAR' })).toMatchObject(nothing(rows))
    expect(await planned(await exported('CSV'), { match_by: 'USERNAME', unlock: true })).toMatchObject(nothing(rows))
  })
})

const run = promisify(execFile)
const isInstalled = await run('soffice', ['--version']).then(
  () => true,
  () => false,
)
const leftOut = isInstalled ? '' : ' (left out: LibreOffice is not installed; on Debian libreoffice-calc-nogui)'

/** How LibreOffice saves a text file: separator, quote, character set, first line; texts as they are shown. */
const saved = (separator: string, charset: number) =>
  `csv:Text - txt - csv (StarCalc):${separator.charCodeAt(0)},34,${charset},1,,0,false,true,false`
const UTF8 = 76
const UTF16 = 65_535

/** A file opened and saved again by LibreOffice, as somebody does who only looks at it. */
async function throughSpreadsheet(csv: string, filter: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'spreadsheet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'users.csv'), csv)
  const profile = `-env:UserInstallation=file://${folder}/profile`
  const opened = `--infilter=CSV:44,34,${UTF8},1`
  const out = join(folder, 'out')
  await run('soffice', [
    profile,
    '--headless',
    opened,
    '--convert-to',
    filter,
    '--outdir',
    out,
    join(folder, 'users.csv'),
  ])
  return Uint8Array.from(readFileSync(join(out, 'users.csv')))
}

describe.skipIf(!isInstalled)(`a file opened and saved by LibreOffice${leftOut}`, () => {
  /** Notes that a spreadsheet leaves as they are. */
  const kept = [
    ...[
      '=1+1',
      '+49 89 5550',
      '-5',
      '@SUM(A1)',
      "'quoted",
      '\tTab',
      'a"b',
      'a,b',
      'a;b',
      'a\tb',
      'a\nb',
      ' lead',
      'trail ',
    ],
    ...[
      '👩‍🚀',
      'שלום',
      '\u202eabc',
      'Þór Ödegård',
      '50%',
      '€ 5',
      '2004-01-01',
      '31.12.2026',
      '#REF!',
      'null',
      '٣',
      'a|b\\',
    ],
  ]
  /** Notes that it takes for a number or the like, and what it makes of them. */
  const changed: [string, string][] = [
    ['00123', '123'],
    ['1.50', '1.5'],
    ['1.23E+05', '123000'],
    ['12345678901234567890', '1.23456789012346E+019'],
    ['a\r\nb', 'a\nb'],
    ['true', 'TRUE'],
  ]
  const users = [...kept, ...changed.map(([note]) => note)].map((value, n) => ({
    ...{
      id: `s${n}`,
      username: `s${n}`,
      external_id: `HR-${n}`,
      first_name: 'Zoë',
      last_name: `O'Brien`,
      tags: [{ name: 'a|b' }],
    },
    attributes: [
      { name: 'joined_on', value: '2024-02-29' },
      { name: 'note', value },
    ],
  }))
  beforeEach(() => start(users))

  test.each([
    ['UTF-8', saved(',', UTF8)],
    ['UTF-8 with semicolons', saved(';', UTF8)],
    ['UTF-16 with tabs', saved('\t', UTF16)],
  ])('%s: shows what the spreadsheet has changed, and nothing else', async (_encoding, filter) => {
    const found = await planned(await throughSpreadsheet(await exported('CSV'), filter), { empty: 'CLEAR' })
    expect(found).toMatchObject({ plan: { state: 'READY', ignored_columns: [] }, faults: [] })
    const notes = found.changes.map(({ fields }: Any) => fields)
    expect(notes).toEqual(changed.map(([before, after]) => [{ field: 'attribute:note', before, after }]))
  })
})
