import type { TestProject } from 'vitest/node'
import { startDynamoDB } from '../../local/dynamodb.ts'
import { type Keys, newKeys } from './keys.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBEndpoint: string
    keys: Keys
  }
}

/** Starts the database of a run and makes its keys; every test file makes a table of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('keys', newKeys())
  const known = process.env['DYNAMODB_ENDPOINT']
  if (known) {
    project.provide('dynamoDBEndpoint', known)
    return async () => {}
  }
  // One is enough: Java takes half a minute of processor time until it is fast, and a second one takes it again.
  const { endpoint, stop } = await startDynamoDB({ port: 0 })
  project.provide('dynamoDBEndpoint', endpoint)
  return stop
}
