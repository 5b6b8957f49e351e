import { inject } from 'vitest'
import type { Engine } from '../../local/engine.ts'

/** The database of this run. */
export const dynamoDBEndpoint = (): string => inject('dynamoDBEndpoint')

/** What runs as the database; undefined if it is neither of the local ones. */
export const engine = (): Engine | undefined => inject('engine')
