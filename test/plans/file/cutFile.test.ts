import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../../domain/base/errors.ts'
import { importDirectory } from '../../../domain/import/importDirectory.ts'
import type { PlanFile } from '../../../domain/plans/file/planFile.ts'
import { type ReadRow, readRows } from '../../../domain/plans/file/readRows.ts'
import { beginning, type FilePosition } from '../../../domain/plans/file/row.ts'
import { demoDirectory } from '../../../local/demo/demo.ts'
import type { Any } from '../../harness/call.ts'
import { type Service, startService } from '../../harness/service.ts'
import { cancel, changes } from '../plans.ts'
import { definitionOf, fileOf, open, rowsOf } from './files.ts'
import { checkedFile } from './plansOfFiles.ts'

// The night of the warehouse, cut off on its way. Its sum is right, as it was made afterwards: what protects people is what the
// rows show, the number of rows, and the limits.

const whole = readFileSync(new URL('../../../local/demo/hr.csv', import.meta.url))
const attributes = demoDirectory().attribute_definitions ?? []
const definitions = attributes.map(({ technical_name, title, attribute_type }) =>
  definitionOf(
    technical_name,
    title.map(({ text }) => text),
    attribute_type === 'DATE' ? 'DATE' : 'TEXT',
  ),
)

/** The whole file, and its rows. */
const opened = () => open(whole, { definitions })

/** The rows of a beginning of the file, from a position on. Undefined if it cannot be read. */
async function rowsOfBeginning(file: PlanFile, length: number, from: FilePosition): Promise<ReadRow[] | undefined> {
  const found: ReadRow[] = []
  try {
    for await (const row of readRows({ ...file, bytes: fileOf(whole.subarray(0, length)) }, from)) found.push(row)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return undefined
  }
  return found
}

test('every beginning of it that has all rows has everybody', async () => {
  const file = await opened()
  const rows = (await rowsOfBeginning(file, whole.length, beginning)) ?? []
  const everybody = rows.map(({ row }) => row.key)
  expect(everybody).toHaveLength(46)
  const passed: number[] = []
  // Reading goes on from the end of any row, so only the last rows before the cut are read again.
  for (let length = file.start; length < whole.length; length++) {
    const before = rows.filter(({ at }) => at.offset <= length).slice(0, -1)
    const after = await rowsOfBeginning(file, length, before.at(-1)?.at ?? beginning)
    const keys = after && [...before, ...after].map(({ row }) => row.key)
    // Otherwise the plan is refused: it cannot be read, has another number of rows, or a row of which nobody knows whom it is about.
    if (keys?.length !== everybody.length || keys.includes(null)) continue
    passed.push(length)
    expect(keys, `${length} bytes`).toEqual(everybody)
  }
  // Only the last cell, which names nothing, can be cut without being noticed, and the end of its line.
  expect(passed.map((length) => length - whole.length).sort()).toEqual([-1, -2, -3, -4, -5, -6])
})

test('a beginning that ends in the header row has no rows, or is refused', async () => {
  const { start } = await opened()
  for (let length = 0; length < start; length++) {
    const rows = await rowsOf(whole.subarray(0, length), { definitions }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return []
    })
    expect(rows, `${length} bytes`).toEqual([])
  }
})

describe('its beginnings as plans', () => {
  let service: Service
  beforeAll(async () => {
    const { users = [], ...demo } = demoDirectory()
    const boss = { id: 'admin', username: 'boss', first_name: 'B', last_name: 'B', role: 'ADMIN' as const }
    service = await startService({
      indexes: 'all',
      fill: (store, now) =>
        importDirectory({ store, now: now.toISOString(), newId: randomUUID }, { ...demo, users: [...users, boss] }),
    })
  })
  const among = { attribute_technical_name: 'department', attribute_value: 'Warehouse' }
  const options = { mode: 'FULL', absent: 'DEACTIVATE', absent_among: among }

  /** A plan of a beginning, and whom it takes for absent. */
  async function planned(length: number, rows: number) {
    const plan = await checkedFile(service, whole.subarray(0, length), options, rows)
    const found = await changes(plan.id)
    await cancel(plan.id)
    return { plan, absent: found.filter(({ row }: Any) => row === null).map(({ user }: Any) => user.id) }
  }
  const leavers = ['user-063', 'user-307']
  const lastLine = whole.subarray(0, -1).lastIndexOf('\n') + 1

  test('with the rows of the whole file nobody of it is absent', async () => {
    const near = [0, 1, 5, 9, 40, 90].map((after) => lastLine + after)
    for (const length of [...near, whole.length - 3, whole.length - 1, whole.length, 200, 3000]) {
      const { plan, absent } = await planned(length, 46)
      if (plan.state === 'READY') expect(absent, `${length} bytes`).toEqual(leavers)
      else expect([plan.state, absent], `${length} bytes`).toEqual(['REFUSED', []])
    }
  })

  test('with rows of its own a beginning never reaches beyond the limits', async () => {
    const seen = new Set<string>()
    for (const rows of [1, 20, 36, 38, 42, 45]) {
      const length = whole
        .toString()
        .split('\n', rows + 1)
        .join('\n')
      const { plan, absent } = await planned(Buffer.byteLength(length), rows)
      seen.add(plan.state)
      // A plan that is refused can never be applied.
      if (plan.state === 'READY') expect(absent.length, `${rows} rows`).toBeLessThanOrEqual(10)
      expect([plan.fault?.code, plan.state]).toEqual(
        plan.state === 'READY' ? [undefined, 'READY'] : ['PLAN_LIMIT_EXCEEDED', 'REFUSED'],
      )
    }
    expect([...seen].sort()).toEqual(['READY', 'REFUSED'])
  })
})
