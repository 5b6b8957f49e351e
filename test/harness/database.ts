import { generateKeyPairSync } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { startDynamoDB } from '../../local/dynamodb.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBEndpoint: string
    /** What tokens are signed with, in PEM: the issuer's key, and one of nobody. */
    keys: { ours: string; foreign: string }
  }
}

/** Starts the database of a run and makes its keys; every test file makes a table of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('keys', { ours: newKey(), foreign: newKey() })
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

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
