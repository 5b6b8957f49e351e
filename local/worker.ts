// What AWS does with the table's stream and the schedule, on this machine: the same functions, called by the same events.
import type { DynamoDBRecord } from 'aws-lambda'
import { finishWork } from '../domain/jobs/finishWork.ts'
import type { Scheduled } from '../domain/jobs/workThrough.ts'
import { isForStream, readAllWork } from '../domain/table/work.ts'
import { handler } from '../handlers/maintenance/finishWork.ts'
import { environment, newStore } from '../handlers/middleware/environment.ts'
import { serviceFunctions } from './build/serviceFile.ts'
import { tableStream } from './tableStream.ts'

/** Between two looks at the stream, and two at what nobody has. */
const LISTEN_MS = 400
const SCHEDULE_MS = 1000

/** The worker on the table's stream. */
export type Worker = { stop: () => Promise<void> }

/**
 * Starts the worker on the stream of the table that the environment names: it finishes what calls hand over. Every second
 * it also looks for work that nobody has, as the schedule does every minute.
 */
export const startWorker = async (endpoint: string, tableName: string): Promise<Worker> => {
  const { seconds, isMeant } = mapping()
  const stream = await tableStream(endpoint, tableName)
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  const lambda = () => {
    const end = Date.now() + seconds * 1000
    return { getRemainingTimeInMillis: () => (isOver ? 0 : end - Date.now()) }
  }
  const context = (): Scheduled => ({
    store: newStore(),
    clock: environment.now,
    timeLeft: lambda().getRemainingTimeInMillis,
    log: (line) => environment.log({ endpoint: 'finishWork', ...line }),
  })
  const begin = (work: Promise<unknown>) => {
    const tracked = work.catch(told).finally(() => underWay.delete(tracked))
    underWay.add(tracked)
    return tracked
  }
  let isPassedOver = false
  let isScheduled = false
  const listen = async () => {
    const { records, isAll } = await stream.look()
    const Records = records.filter(isMeant)
    isPassedOver ||= !isAll
    if (Records.length > 0) void begin(handler({ Records }, lambda() as never))
  }
  const schedule = async () => {
    // What was passed over in the stream lies in the table.
    const handedOver = isPassedOver ? (await readAllWork(newStore())).filter(isForStream) : []
    isPassedOver = false
    const Records = handedOver.map(({ pk, sk }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }))
    if (Records.length > 0) void begin(handler({ Records }, lambda() as never))
    if (isScheduled) return
    isScheduled = true
    void begin(
      finishWork(context())
        .then(measure)
        .finally(() => {
          isScheduled = false
        }),
    )
  }
  const repeat = async (every: number, act: () => Promise<unknown>) => {
    while (!isOver) {
      await act().catch(told)
      await new Promise((tick) => setTimeout(tick, every))
    }
  }
  const loops = [repeat(LISTEN_MS, listen), repeat(SCHEDULE_MS, schedule)]
  return {
    stop: async () => {
      isOver = true
      await Promise.all(loops)
      await Promise.all(underWay)
    },
  }
}

/** What the schedule's function counts on AWS, for the page /status; the terminal does not show the line. */
function measure({ finished = 0, failed, found }: Awaited<ReturnType<typeof finishWork>>): void {
  const left = found ? { WorkEntries: found.entries, WorkStuck: found.stuck, WorkOverdue: found.overdueSeconds } : {}
  const measures = { WorkFinished: finished, WorkFailed: failed, ...left }
  environment.log({ level: 'info', endpoint: 'schedule' }, measures)
}

const told = (error: unknown) => console.error(`The worker failed: ${(error as Error).message}`)

type Pattern = { [name: string]: Pattern } | readonly unknown[]

/** The time of the function in seconds, and the filter of its stream, as serverless.yml has them. */
const mapping = () => {
  const { timeout: seconds = 0, events = [] } = serviceFunctions().finishWork ?? {}
  const patterns = events.flatMap(({ stream }) => stream?.filterPatterns ?? [])
  return {
    seconds,
    isMeant: (record: DynamoDBRecord) => patterns.some((pattern) => matches(pattern as Pattern, record)),
  }
}

const matches = (pattern: Pattern, value: unknown): boolean =>
  Array.isArray(pattern)
    ? pattern.includes(value)
    : Object.entries(pattern as { [name: string]: Pattern }).every(([name, inner]) =>
        matches(inner, (value as Record<string, unknown>)?.[name]),
      )
