import { deleteAttributeDefinition } from '../../domain/attributes/deleteAttributeDefinition.ts'
import { deleteAttributeDefinition as contract } from '../../schemas/attributeDefinitions.ts'
import * as validators from '../../schemas/compiled/deleteAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteAttributeDefinition)
