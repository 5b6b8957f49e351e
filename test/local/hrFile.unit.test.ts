import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { demoDirectory } from '../../local/demo/demo.ts'

// docs/plans.md tells what the file does to the demo organisation. Where the demo changes, the file changes with it.

const rows: Record<string, string>[] = parse(readFileSync(new URL('../../local/demo/hr.csv', import.meta.url)), {
  columns: true,
})
const warehouse = (demoDirectory().users ?? []).filter(({ attributes = [] }) =>
  attributes.some(({ name, value }) => name === 'department' && value === 'Warehouse'),
)
const byId = new Map(warehouse.map((user) => [user.external_id, user]))

/** What the demo has in the columns of the file. */
function cellsOf(id: string): Record<string, string> {
  const { attributes = [], ...user } = byId.get(id) ?? expect.fail(`${id} is not in the warehouse`)
  const attribute = (name: string) => attributes.find((one) => one.name === name)?.value ?? ''
  return {
    'External ID': id,
    Username: user.username,
    'First name': user.first_name,
    'Last name': user.last_name,
    'E-mail': user.email ?? '',
    Status: user.status ?? '',
    'Primary user group': 'Warehouse',
    Department: 'Warehouse',
    'Job title': attribute('job_title'),
    Location: attribute('location'),
    'Date of joining': attribute('date_of_joining'),
    'Cost centre': attribute('cost_center'),
  }
}

/** What a row changes, by column. */
const differences = ({ Shift: _, ...row }: Record<string, string>) => {
  const before = cellsOf(row['External ID'] ?? '')
  expect(Object.keys(row)).toEqual(Object.keys(before))
  return Object.fromEntries(Object.entries(row).filter(([column, cell]) => cell !== before[column]))
}

test('has the warehouse of the demo, with joiners, movers, leavers and three faults', () => {
  const ids = rows.map((row) => row['External ID'] ?? '')
  expect(ids).toEqual([...new Set(ids)].sort())
  const joiners = ids.filter((id) => !byId.has(id))
  expect(joiners).toEqual(['HR-10460', 'HR-11300', 'HR-12100'])
  const changes = rows
    .filter((row) => byId.has(row['External ID']))
    .map((row) => [row['External ID'], differences(row)] as const)
    .filter(([, changed]) => Object.keys(changed).length > 0)
  expect(Object.fromEntries(changes)).toEqual({
    'HR-10701': { 'Job title': 'Shift lead', 'Cost centre': 'CC-4160' },
    'HR-10890': { Status: 'DEACTIVATED' },
    'HR-11212': { 'Primary user group': 'Logistics', Department: 'Logistics', 'Job title': 'Dispatcher' },
    'HR-11478': { 'Date of joining': '16.08.2017' },
    'HR-11744': { 'Last name': 'Aydın', 'E-mail': 'hulya.aydin@nordwind.example' },
    // HR knows of no lock: ACTIVE leaves it.
    'HR-11877': { Status: 'ACTIVE' },
    'HR-12465': { Status: 'ACTIVE' },
    'HR-12598': { Status: 'on leave' },
  })
  expect(rows.filter(({ Username }) => Username === '').map((row) => row['External ID'])).toEqual(['HR-12100'])
  const leavers = warehouse.filter(({ external_id = '', status }) => status === 'ACTIVE' && !ids.includes(external_id))
  expect(leavers.map(({ external_id }) => external_id)).toEqual(['HR-10435', 'HR-12143'])
})

test('ends with somebody who is there already, so that a file that is cut there could make them absent', () => {
  expect(byId.has(rows.at(-1)?.['External ID'])).toBe(true)
})
