import type { Service } from './service.ts'

/** Lets somebody else act between what a piece of work has read and its first write. */
export async function meanwhile<T>(
  { client }: Pick<Service, 'client'>,
  others: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let isDone = false
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!isDone && String(context['commandName']).startsWith('TransactWrite')) {
        isDone = true
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
