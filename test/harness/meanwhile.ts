import type { Service } from './service.ts'

/**
 * Lets another caller act between what a piece of work has read and its first transaction, a later one, or the first
 * whose request mentions a text.
 */
export async function meanwhile<T>(
  { client }: Pick<Service, 'client'>,
  others: () => Promise<unknown>,
  work: () => Promise<T>,
  which: number | string = 1,
): Promise<T> {
  let writes = 0
  let hasActed = false
  const isIt = (input: unknown): boolean =>
    typeof which === 'number' ? ++writes === which : JSON.stringify(input).includes(which)
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!hasActed && String(context['commandName']).startsWith('TransactWrite') && isIt(args.input)) {
        hasActed = true
        await others()
      }
      return next(args)
    },
    { step: 'initialize', name: 'meanwhile' },
  )
  try {
    return await work()
  } finally {
    client.middlewareStack.remove('meanwhile')
  }
}

type Read = (command: string, input: Record<string, unknown>) => boolean

/** Lets another call act after a piece of work got the answer of one read, and before it gets that of another. */
export async function betweenReads<T>(
  { client }: Pick<Service, 'client'>,
  [first, second]: readonly [Read, Read],
  others: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: hasActed, resolve: acted } = Promise.withResolvers<void>()
  const waiting = { first: true, second: true }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const [command, input] = [String(context['commandName']), args.input as Record<string, unknown>]
      if (waiting.second && second(command, input)) {
        waiting.second = false
        await hasActed
      } else if (waiting.first && first(command, input)) {
        waiting.first = false
        const answer = await next(args)
        await others().finally(acted)
        return answer
      }
      return next(args)
    },
    { step: 'initialize', name: 'betweenReads' },
  )
  try {
    const answer = await work()
    if (waiting.first || waiting.second) throw new Error('The work has not read what it was to be kept from')
    return answer
  } finally {
    client.middlewareStack.remove('betweenReads')
  }
}
