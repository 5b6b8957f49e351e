import { inject } from 'vitest'
import type { Engine } from '../../local/database/engine.ts'

/** The database of this process. */
export const dynamoDBEndpoint = (): string => {
  const endpoints = inject('dynamoDBEndpoints')
  return endpoints[Number(process.env['VITEST_POOL_ID']) % endpoints.length] ?? endpoints[0]
}

/** What runs as the database; undefined if it is neither of the local ones. */
export const engine = (): Engine | undefined => inject('engine')
