import type { Service } from './service.ts'

/** Lets somebody else act between what a piece of work has read and its first write, or a later one. */
export async function meanwhile<T>(
  { client }: Pick<Service, 'client'>,
  others: () => Promise<unknown>,
  work: () => Promise<T>,
  nth = 1,
): Promise<T> {
  let writes = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (String(context['commandName']).startsWith('TransactWrite') && ++writes === nth) await others()
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
