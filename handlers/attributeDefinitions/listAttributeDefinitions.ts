import { listAttributeDefinitions } from '../../domain/attributes/listAttributeDefinitions.ts'
import { listAttributeDefinitions as contract } from '../../schemas/attributeDefinitions.ts'
import * as validators from '../../schemas/compiled/listAttributeDefinitions.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listAttributeDefinitions)
