import type { TestProject } from 'vitest/node'
import { startDynamoDB } from '../../local/dynamodb.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBEndpoints: string[]
  }
}

/** DynamoDB Local does one thing at a time, so two of them keep two cores busy. */
const DATABASES = 2

/** Starts the databases of a run; every test file makes a table of its own in one of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DYNAMODB_ENDPOINT']
  if (given) {
    project.provide('dynamoDBEndpoints', [given])
    return async () => {}
  }
  const databases = await Promise.all(Array.from({ length: DATABASES }, () => startDynamoDB({ port: 0 })))
  project.provide(
    'dynamoDBEndpoints',
    databases.map(({ endpoint }) => endpoint),
  )
  return async () => {
    await Promise.all(databases.map((database) => database.stop()))
  }
}
