import { listAttributeDefinitions } from '../../domain/people/attributes/listAttributeDefinitions.ts'
import type { listAttributeDefinitions as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/listAttributeDefinitions.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(listAttributeDefinitions)
