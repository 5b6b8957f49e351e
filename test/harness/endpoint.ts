import { inject } from 'vitest'

/** The database that this worker's test files use. */
export function dynamoDBEndpoint(): string {
  const endpoints = inject('dynamoDBEndpoints')
  return endpoints[Number(process.env['VITEST_POOL_ID'] ?? 0) % endpoints.length] ?? ''
}
