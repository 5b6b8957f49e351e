import type { TestProject } from 'vitest/node'
import { startDynamoDB } from '../../local/dynamodb.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBEndpoint: string
  }
}

/** One DynamoDB Local for the whole run; every test file makes a table of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DYNAMODB_ENDPOINT']
  if (given) {
    project.provide('dynamoDBEndpoint', given)
    return async () => {}
  }
  const database = await startDynamoDB({ port: 0 })
  project.provide('dynamoDBEndpoint', database.endpoint)
  return () => database.stop()
}
