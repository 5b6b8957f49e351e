// What AWS does with the table's stream and the schedule: it calls the same functions with the same events. It looks at the
// table instead of a stream, because DynamoDB Local and dynoxide are much slower with one.
import { finishWork } from '../domain/jobs/finishWork.ts'
import type { WorkerContext } from '../domain/jobs/workThrough.ts'
import { turnOf } from '../domain/table/keys.ts'
import { type AnyEntry, isForStream, readAllWork } from '../domain/table/work.ts'
import { handler } from '../handlers/maintenance/finishWork.ts'
import { environment, newStore } from '../handlers/middleware/environment.ts'
import { serviceFunctions } from './build/serviceFile.ts'

/** Between two looks at what calls have handed over, and two runs of the schedule. */
const LOOK_MS = 400
const SCHEDULE_MS = 1000

/** The running worker. */
export type Worker = { stop: () => Promise<void> }

/**
 * Starts the worker on the table that the environment names: it finishes what calls hand over. Every second it also does what
 * the schedule does every minute.
 */
export const startWorker = (): Worker => {
  const { seconds, lanes } = limits()
  const underWay = new Set<Promise<unknown>>()
  /** Turns that a call of the handler is at. */
  const taken = new Set<string>()
  let isOver = false
  let isScheduled = false
  const lambda = () => {
    const end = Date.now() + seconds * 1000
    return { getRemainingTimeInMillis: () => (isOver ? 0 : end - Date.now()) }
  }
  const context = (): WorkerContext => ({
    store: newStore(),
    clock: environment.now,
    timeLeft: lambda().getRemainingTimeInMillis,
    log: (line) => environment.log({ endpoint: 'finishWork', ...line }),
  })
  const begin = (work: Promise<unknown>) => {
    const tracked = work.catch(report).finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }
  const look = async () => {
    const handedOver = (await readAllWork(newStore())).filter(isForStream)
    for (const [turn, entries] of Map.groupBy(handedOver, turnOf)) {
      if (taken.has(turn) || taken.size >= lanes) continue
      taken.add(turn)
      begin(handler(eventOf(entries), lambda() as never).finally(() => taken.delete(turn)))
    }
  }
  const schedule = async () => {
    if (isScheduled) return
    isScheduled = true
    const run = finishWork(context()).then(measure)
    begin(
      run.finally(() => {
        isScheduled = false
      }),
    )
  }
  const repeat = async (every: number, act: () => Promise<unknown>) => {
    while (!isOver) {
      await act().catch(report)
      await new Promise((tick) => setTimeout(tick, every))
    }
  }
  const loops = [repeat(LOOK_MS, look), repeat(SCHEDULE_MS, schedule)]
  return {
    stop: async () => {
      isOver = true
      await Promise.all(loops)
      await Promise.all(underWay)
    },
  }
}

/** The event of the table's stream, as far as the handler reads it. */
const eventOf = (entries: readonly AnyEntry[]) => ({
  Records: entries.map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } })),
})

/** What the schedule's function counts on AWS, for the page /status. The terminal does not show the line. */
function measure({ finished = 0, failed, found }: Awaited<ReturnType<typeof finishWork>>): void {
  const left = found ? { WorkEntries: found.entries, WorkStuck: found.stuck, WorkOverdue: found.overdueSeconds } : {}
  const measures = { WorkFinished: finished, WorkFailed: failed, ...left }
  environment.log({ level: 'info', endpoint: 'schedule' }, measures)
}

const report = (error: unknown) => console.error(`The worker failed: ${(error as Error).message}`)

/** How long a call of the handler may take, and how many run at once, as serverless.yml has them. */
const limits = () => {
  const { timeout: seconds = 0, events = [] } = serviceFunctions().finishWork ?? {}
  const [{ parallelizationFactor: lanes } = { parallelizationFactor: 1 }] = events.flatMap(({ stream }) => stream ?? [])
  return { seconds, lanes }
}
