import type { Service } from './service.ts'

/** Counts the writes that DynamoDB has carried out: a transaction that was refused changed nothing. */
export function countWrites({ client }: Service): () => number {
  let writes = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args)
      if (/Write|Put|Update|Delete/.test(String(context.commandName))) writes++
      return answer
    },
    { step: 'initialize', name: 'countWrites' },
  )
  return () => writes
}
