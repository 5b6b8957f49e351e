import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'

// biome-ignore lint/suspicious/noExplicitAny: inputs and answers of any command
type Any = any
/** Requests to the database: those of a wave are sent at the same time. */
export type Waves = readonly (readonly { command: string; input: Any }[])[]

const commands: Record<string, new (input: Any) => Any> = {
  BatchGetItemCommand: BatchGetCommand,
  BatchWriteItemCommand: BatchWriteCommand,
  QueryCommand: QueryCommand,
  TransactWriteItemsCommand: TransactWriteCommand,
}

/** Sends the requests by the bare SDK. Returns the last wave's first answer. */
export async function sendBare(client: DynamoDBDocumentClient, waves: Waves): Promise<unknown> {
  let answer: unknown
  for (const wave of waves)
    [answer] = await Promise.all(wave.map(({ command, input }) => client.send(new (commands[command] as Any)(input))))
  return answer
}
