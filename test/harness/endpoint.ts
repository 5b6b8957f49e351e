import { inject } from 'vitest'

/** The database of this run. */
export const dynamoDBEndpoint = (): string => inject('dynamoDBEndpoint')
