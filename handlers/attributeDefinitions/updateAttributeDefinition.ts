import { readDefinition } from '../../domain/attributes/attributeDefinition.ts'
import { updateAttributeDefinition } from '../../domain/attributes/attributeDefinitionOperations.ts'
import { wrongTextsOf } from '../../domain/request/localization.ts'
import { updateAttributeDefinition as contract } from '../../schemas/attributeDefinitions.ts'
import * as validators from '../../schemas/compiled/updateAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(
  updateAttributeDefinition,
  wrongTextsOf('definition_id', readDefinition),
)
