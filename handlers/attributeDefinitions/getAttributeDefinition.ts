import { getAttributeDefinition } from '../../domain/attributes/getAttributeDefinition.ts'
import { getAttributeDefinition as contract } from '../../schemas/attributeDefinitions.ts'
import * as validators from '../../schemas/compiled/getAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getAttributeDefinition)
