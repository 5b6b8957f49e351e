import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import { setTimeout as wait } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { vi } from 'vitest'

/** What can go wrong with one call to the store. */
export type StoreFault =
  | 'conflict'
  | 'throttle'
  /** The call does its work, but its answer never arrives. */
  | 'lostAnswer'
  /** The call does its work, but there is no answer until the faults end. */
  | 'hanging'
  /** The call never leaves: nothing listens there. */
  | 'unreachable'
  /** The store refuses the call for good. */
  | 'refused'
  /** The process ends here: this call and every later one fail. */
  | 'death'

export type Calls = { count: number; names: string[] }

/** The process died: nothing that comes after this happens. */
export class Died extends Error {
  override name = 'Died'
}

/**
 * Lets faults strike calls of the client, by number (the first call is 1) and name; answers the calls seen so far.
 * `death` strikes after the call has done its work. Call `heal` to end it.
 */
export function strike(
  client: DynamoDBDocumentClient,
  faultOf: (call: number, command: string, input: Record<string, unknown>) => StoreFault | undefined,
): { calls: Calls; heal: () => void; isHanging: () => boolean } {
  const calls: Calls = { count: 0, names: [] }
  let dead = false
  let hanging = 0
  const underway = new Set<Promise<unknown>>()
  const ended = Promise.withResolvers<void>()
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context['commandName'])
      if (dead) throw new Died()
      calls.names.push(command)
      const fault = faultOf(++calls.count, command, args.input as Record<string, unknown>)
      if (fault === 'conflict' && command.startsWith('TransactWrite')) throw cancelled('TransactionConflict', args)
      if (fault === 'throttle') throw throttled(command, args)
      if (fault === 'unreachable')
        throw Object.assign(new Error('connect ECONNREFUSED'), { name: 'Error', code: 'ECONNREFUSED' })
      if (fault === 'refused') throw Object.assign(new Error('Not like this'), { name: 'ValidationException' })
      const work = next(args)
      underway.add(work)
      const answer = await work.finally(() => underway.delete(work))
      if (fault === 'death') {
        dead = true
        // Requests that were sent before still arrive. They must not arrive while the test looks.
        await Promise.allSettled(underway)
        throw new Died()
      }
      if (fault === 'hanging') {
        hanging++
        await ended.promise
      }
      if (fault === 'lostAnswer')
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
      return answer
    },
    { step: 'finalizeRequest', priority: 'low', name: 'faults', override: true },
  )
  const heal = (): void => {
    client.middlewareStack.remove('faults')
    ended.resolve()
  }
  return { calls, heal, isHanging: () => hanging > 0 && underway.size === 0 }
}

/** Looks, a millisecond apart, after which work that only waits would have gone on. */
const LOOKS = 10

/**
 * Ends the time of calls as soon as they only wait for an answer that never comes. A timer of `node:timers` ends a call, and
 * nothing else uses that timer.
 */
export async function untilOutOfTime<T>(isWaiting: () => boolean, work: () => Promise<T>): Promise<T> {
  const ends: (() => void)[] = []
  const timer = vi.spyOn(timers, 'setTimeout').mockImplementation(((end: () => void) => void ends.push(end)) as never)
  syncBuiltinESMExports()
  try {
    let isOver = false
    const answer = work().finally(() => {
      isOver = true
    })
    answer.catch(() => {})
    for (let looks = 0; looks < LOOKS && !isOver; looks = isWaiting() ? looks + 1 : 0) await wait(1)
    for (const end of ends) end()
    return await answer
  } finally {
    timer.mockRestore()
    syncBuiltinESMExports()
  }
}

/**
 * Lets attempts follow each other at once, however long they take: between two of them a call waits for a random part of a time, and
 * it gives up when it has lost too much time by this clock.
 */
export function withoutWaits<T>(work: () => Promise<T>): Promise<T> {
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0)
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  return work().finally(() => {
    chance.mockRestore()
    clock.mockRestore()
  })
}

const isWrite = (command: string): boolean => command.includes('Write')

/**
 * Lets the process end after its nth call that writes; `isOver` tells that there were fewer. A death after a call that
 * only reads leaves what an earlier one has left already.
 */
export function dieAfterWrite(
  client: DynamoDBDocumentClient,
  nth: number,
): { heal: () => void; isOver: () => boolean } {
  let writes = 0
  const { heal } = strike(client, (_n, command) => (isWrite(command) && ++writes === nth ? 'death' : undefined))
  return { heal, isOver: () => writes < nth }
}

/** The numbers of the calls that write, counted from 1. */
export const writesAmong = ({ names }: Calls): number[] => names.flatMap((name, n) => (isWrite(name) ? [n + 1] : []))

function throttled(command: string, args: object): Error {
  if (command.startsWith('TransactWrite')) return cancelled('ProvisionedThroughputExceeded', args)
  return Object.assign(new Error('Throughput exceeds'), {
    name: 'ProvisionedThroughputExceededException',
    $retryable: { throttling: true },
  })
}

/** Only the first action is at fault, as it is in real life. */
function cancelled(code: string, args: object): Error {
  const { input } = args as { input: { TransactItems?: unknown[] } }
  const reasons = (input.TransactItems ?? [{}]).map((_, index) => ({ Code: index === 0 ? code : 'None' }))
  return Object.assign(new Error('Transaction cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: reasons,
  })
}
