// Checks a generated file of lines that is never held in memory, in a separate process with a small heap.

import { ImportRefused } from '../../../domain/import/importErrors.ts'
import { checkLines } from '../../../domain/import/importLines.ts'
import type { LineFile } from '../../../domain/import/lineFile.ts'
import type { WorkStore } from '../../../domain/table/store.ts'
import { serve } from '../processes.ts'
import { newPerson } from '../sampleRecords.ts'
import { cpuMsSince } from '../timing.ts'

/** The number of users, and the line whose fault must be reported. */
export type Check = { users: number; faulty: number }
/** The faults that were reported, and what that cost: `megabytes` is the most that the heap and all buffers held. */
export type Checked = { faults: string[]; megabytes: number; cpuSeconds: number }

const none = () => Promise.reject(new Error('A check writes nothing'))
/** A table without an organisation: it has no users to look up. */
const empty: WorkStore = {
  get: async () => undefined,
  getEventual: async () => undefined,
  query: async () => ({ items: [], count: 0 }),
  write: none,
  bulk: none,
}

const LINES_AT_ONCE = 1_000

serve<Check, Checked>(async ({ users, faulty }, say) => {
  const { role: _role, status: _status, ...person } = newPerson('')
  const userLine = (n: number): string => {
    const id = `person-${n}`
    const names = { id, username: `${id}@large.example`, first_name: n === faulty ? '' : 'Zoë' }
    return JSON.stringify({ users: { ...person, ...names, email: `${id}@large.example`, external_id: `E-${n}` } })
  }
  const source: LineFile = {
    size: users * userLine(users).length,
    read: async function* () {
      for (let line = 1; line <= users; line += LINES_AT_ONCE)
        yield Buffer.from(`${Array.from({ length: LINES_AT_ONCE }, (_, n) => userLine(line + n)).join('\n')}\n`)
    },
  }
  let most = 0
  const onProgress = ({ done }: { done: number }) => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    most = Math.max(most, heapUsed + arrayBuffers)
    say(`${done} of ${users} lines checked`)
  }
  const cpu = process.cpuUsage()
  const context = { store: empty, now: new Date().toISOString(), newId: () => '', onProgress }
  const faults = await checkLines(context, source).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ImportRefused) return error.faults.map(({ section, property }) => `${section}.${property}`)
      throw error
    },
  )
  return { faults, megabytes: most / 1e6, cpuSeconds: cpuMsSince(cpu) / 1000 }
})
