import { updateAttributeDefinition } from '../../domain/attributes/attributeDefinitionOperations.ts'
import { wrongTexts } from '../../domain/localization.ts'
import { updateAttributeDefinition as contract } from '../../schemas/attributeDefinitions.ts'
import * as validators from '../../schemas/compiled/updateAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateAttributeDefinition, wrongTexts)
