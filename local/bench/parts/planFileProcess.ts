// Checks the file of a plan in a separate process with a small heap, so that its memory can be measured.
import { randomUUID } from 'node:crypto'
import { finishHandedOver } from '../../../domain/maintenance/finishWork.ts'
import { type Plan, readPlan } from '../../../domain/plans/plan.ts'
import { workKey } from '../../../domain/table/keys.ts'
import { openStore } from '../../../domain/table/openStore.ts'
import { keepLedger } from '../../../test/harness/ledger.ts'
import { answerWithGeneratedRows, numberedPeople } from '../generatedRows.ts'
import { serve } from '../processes.ts'
import { clientFor } from '../world.ts'

/** A plan whose file is to be checked, and how many people are made up. */
export type Job = { endpoint: string; tableName: string; plan: string; people: number }
/** `megabytes`: the most that the heap and all buffers held; `resident`: the most that the process had, Node itself included. */
export type Checked = {
  plan: Plan
  reads: number
  writes: number
  megabytes: number
  resident: number
  seconds: number
}

/** As long as a function of AWS works before it hands over to the next one. */
const WORK_MS = 7_000

serve<Job, Checked>(async ({ endpoint, tableName, plan: id, people }, say) => {
  const client = clientFor(endpoint)
  const ledger = await keepLedger(client, clientFor(endpoint), { onlySums: true })
  await answerWithGeneratedRows(client, numberedPeople(people))
  const store = openStore({ client, name: tableName, newToken: randomUUID })
  const own = openStore({ client: clientFor(endpoint), name: tableName, newToken: randomUUID })
  let most = 0
  client.middlewareStack.add(
    (next) => (args) => {
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      most = Math.max(most, heapUsed + arrayBuffers)
      return next(args)
    },
    { step: 'initialize', name: 'memory' },
  )
  const startedAt = performance.now()
  let [reads, writes] = [0, 0]
  for (;;) {
    const end = performance.now() + WORK_MS
    const timeLeft = () => (performance.now() < end ? 60_000 : 0)
    const log = (line: object) => void ('level' in line && line.level === 'error' && console.error(line))
    const work = { store, clock: () => new Date(), timeLeft, operation: 'finishWork', log }
    const { entry } = await ledger.of(() => finishHandedOver(work, [workKey('plan', id)]))
    reads += entry.reads
    writes += entry.writes
    const plan = await readPlan(own, id, new Date().toISOString())
    if (!plan) throw new Error('The plan is gone')
    const { state, position, progress } = plan
    say(`${state} ${position.file?.stage ?? ''}, ${progress?.done ?? 0} of ${progress?.total ?? 0}`)
    if (state === 'CHECKING') continue
    return {
      ...{ plan: { ...plan, counts: plan.tally }, reads, writes, megabytes: most / 1e6 },
      resident: process.resourceUsage().maxRSS / 1024,
      seconds: (performance.now() - startedAt) / 1000,
    }
  }
})
