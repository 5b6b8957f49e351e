// What AWS does with the table's stream and the schedule: it calls the same functions with the same events. It looks at the
// table instead of a stream, because DynamoDB Local and dynoxide are much slower with one.
import { traceOf } from '../domain/base/errors.ts'
import { finishOverdue } from '../domain/jobs/finishWork.ts'
import type { WorkerContext } from '../domain/jobs/workThrough.ts'
import { forWork } from '../domain/table/dynamo.ts'
import { turnOf } from '../domain/table/keys.ts'
import { type AnyEntry, isForStream, readAllWork } from '../domain/table/work.ts'
import { handler as deliver } from '../handlers/maintenance/deliver.ts'
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
  const { look, deliver, schedule, stop } = newWorker()
  let isOver = false
  const repeat = async (every: number, act: () => Promise<unknown>) => {
    while (!isOver) {
      await act().catch(failed('looked for work'))
      await new Promise((tick) => setTimeout(tick, every))
    }
  }
  const loops = [repeat(LOOK_MS, look), repeat(LOOK_MS, deliver), repeat(SCHEDULE_MS, schedule)]
  return {
    stop: async () => {
      isOver = true
      await Promise.all([stop(), ...loops])
      // The loops may have begun more meanwhile.
      await stop()
    },
  }
}

/** The worker without its loops: `look` and `schedule` begin what there is to do, `idle` waits until it is done. */
export const newWorker = () => {
  const limits = limitsOf()
  const underWay = new Set<Promise<unknown>>()
  /** Turns that a call of the handler is at. */
  const taken = new Set<string>()
  let isOver = false
  let isScheduled = false
  let isDelivering = false
  /** A call of a function that may take so many seconds. */
  const lambda = (seconds: number) => {
    const end = Date.now() + seconds * 1000
    return { getRemainingTimeInMillis: () => (isOver ? 0 : end - Date.now()) }
  }
  const context = (): WorkerContext => ({
    store: newStore(undefined, undefined, forWork),
    clock: environment.now,
    timeLeft: lambda(limits.scheduleSeconds).getRemainingTimeInMillis,
    log: (line) => environment.log({ endpoint: 'finishWork', ...line }),
  })
  const begin = (what: string, work: Promise<unknown>) => {
    const tracked = work.catch(failed(`did ${what}`)).finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }
  const idle = async () => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return {
    idle,
    look: async () => {
      const handedOver = (await readAllWork(newStore(undefined, undefined, forWork))).filter(isForStream)
      for (const [turn, entries] of Map.groupBy(handedOver, turnOf)) {
        if (taken.has(turn) || taken.size >= limits.lanes) continue
        taken.add(turn)
        const call = handler(eventOf(entries), lambda(limits.workerSeconds) as never)
        begin(
          turn,
          call.finally(() => taken.delete(turn)),
        )
      }
    },
    /** Makes and tries deliveries of webhooks, if no earlier call is still at it: that one looks again. */
    deliver: async () => {
      if (isDelivering) return
      isDelivering = true
      begin(
        'deliveries',
        deliver({}, lambda(limits.deliverSeconds) as never).finally(() => {
          isDelivering = false
        }),
      )
    },
    schedule: async () => {
      if (isScheduled) return
      isScheduled = true
      const run = finishOverdue(context()).then(measure)
      begin(
        'what is overdue',
        run.finally(() => {
          isScheduled = false
        }),
      )
    },
    stop: () => {
      isOver = true
      return idle()
    },
  }
}

/** The event of the table's stream, as far as the handler reads it. */
const eventOf = (entries: readonly AnyEntry[]) => ({
  Records: entries.map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } })),
})

/** What the schedule's function counts on AWS, for the page /status. The terminal shows the line only if the run was stopped. */
function measure({
  finished = 0,
  failed: WorkFailed,
  found,
  stopped,
}: Awaited<ReturnType<typeof finishOverdue>>): void {
  const left = found ? { WorkEntries: found.entries, WorkStuck: found.stuck, WorkOverdue: found.overdueSeconds } : {}
  const measures = { WorkFinished: finished, WorkFailed, ...left }
  environment.log({ level: stopped ? 'error' : 'info', endpoint: 'schedule', ...stopped }, measures)
}

/** Says on the terminal at what the worker failed, and why. */
const failed = (doing: string) => (error: unknown) => {
  const why = JSON.stringify(traceOf(error))
  console.error(`The worker failed while it ${doing}: ${(error as Error).message} ${why}`)
}

/** How long a call of the worker and a run of the schedule may take, and how many calls run at once, as serverless.yml has them. */
const limitsOf = () => {
  const { finishWork: worker, purge, deliver } = serviceFunctions()
  const [{ parallelizationFactor: lanes } = { parallelizationFactor: 1 }] =
    worker?.events?.flatMap(({ stream }) => stream ?? []) ?? []
  return {
    workerSeconds: worker?.timeout ?? 0,
    scheduleSeconds: purge?.timeout ?? 0,
    deliverSeconds: deliver?.timeout ?? 0,
    lanes,
  }
}
