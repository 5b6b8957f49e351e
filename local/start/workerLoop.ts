// The worker of `npm start`. Like the table's stream and the schedule on AWS, it calls the same functions with the same events. It
// polls the table instead of reading a stream, because DynamoDB Local and dynoxide are much slower with one.
import { setTimeout } from 'node:timers/promises'
import { traceOf } from '../../domain/base/errors.ts'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import { queueOf } from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import type { AnyEntry } from '../../domain/table/workKinds.ts'
import { isForStream } from '../../domain/work/taking.ts'
import type { WorkerContext } from '../../domain/work/workThrough.ts'
import { handler as deliver } from '../../handlers/maintenance/deliver.ts'
import { handler } from '../../handlers/maintenance/finishWork.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { newOpenStore } from '../../handlers/middleware/newOpenStore.ts'
import { serviceFunctions } from '../build/yamlFiles.ts'

/** The pauses between two polls for handed-over work, and between two runs of the schedule. */
const LOOK_MS = 400
const SCHEDULE_MS = 1000

/** The running worker. */
export type Worker = { stop: () => Promise<void> }

/**
 * Starts the worker on the table that the environment names: it finishes work that calls hand over. Every second it also does
 * what the schedule does every minute.
 */
export const startWorker = (): Worker => {
  const { look, deliver, schedule, stop } = newWorker()
  let isOver = false
  const repeat = async (every: number, act: () => Promise<unknown>) => {
    while (!isOver) {
      await act().catch(failed('looked for work'))
      await setTimeout(every)
    }
  }
  const loops = [repeat(LOOK_MS, look), repeat(LOOK_MS, deliver), repeat(SCHEDULE_MS, schedule)]
  return {
    stop: async () => {
      isOver = true
      await Promise.all([stop(), ...loops])
      // The loops may have started more meanwhile.
      await stop()
    },
  }
}

/** The worker without its loops: `look` and `schedule` start the work there is, `idle` waits until it is done. */
export const newWorker = () => {
  const limits = limitsOf()
  const underWay = new Set<Promise<unknown>>()
  /** Queues that a call of the handler is doing. */
  const taken = new Set<string>()
  let isOver = false
  let isScheduled = false
  let isDelivering = false
  /** Calls a function with this many seconds. */
  const lambda = (seconds: number) => {
    const end = Date.now() + seconds * 1000
    return { getRemainingTimeInMillis: () => (isOver ? 0 : end - Date.now()) }
  }
  const context = (): WorkerContext => ({
    store: newOpenStore(undefined, undefined, workPolicy),
    clock: environment.clock,
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
      const handedOver = (await readAllWork(newOpenStore(undefined, undefined, workPolicy))).filter(isForStream)
      for (const [queue, entries] of Map.groupBy(handedOver, queueOf)) {
        if (taken.has(queue) || taken.size >= limits.lanes) continue
        taken.add(queue)
        const call = handler(eventOf(entries), lambda(limits.workerSeconds) as never)
        begin(
          queue,
          call.finally(() => taken.delete(queue)),
        )
      }
    },
    /** Sends webhooks, unless an earlier call still does: that one checks again. */
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

/** The parts of a stream event that the handler reads. */
const eventOf = (entries: readonly AnyEntry[]) => ({
  Records: entries.map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } })),
})

/** The counts of the schedule's function, for the page /status. The terminal shows the line only if the run was stopped. */
function measure({
  finished = 0,
  failed: WorkFailed,
  found,
  stopped,
}: Awaited<ReturnType<typeof finishOverdue>>): void {
  const { entries = 0, stuck = 0, overdueSeconds = 0, planWaitSeconds = 0 } = found ?? {}
  const left = { WorkEntries: entries, WorkStuck: stuck, WorkOverdue: overdueSeconds, PlanWaiting: planWaitSeconds }
  const measures = { WorkFinished: finished, WorkFailed, ...(found ? left : {}) }
  environment.log({ level: stopped ? 'error' : 'info', endpoint: 'schedule', ...stopped }, measures)
}

/** Prints what the worker was doing when it failed, and why. */
const failed = (doing: string) => (error: unknown) => {
  const why = JSON.stringify(traceOf(error))
  console.error(`The worker failed while it ${doing}: ${(error as Error).message} ${why}`)
}

/** The timeouts of the functions, and how many calls run at once, from serverless.yml. */
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
