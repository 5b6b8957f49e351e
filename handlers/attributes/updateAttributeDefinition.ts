import { definitions } from '../../domain/attributes/attributeDefinition.ts'
import { updateAttributeDefinition } from '../../domain/attributes/updateAttributeDefinition.ts'
import { wrongTextsOf } from '../../domain/request/localization.ts'
import type { updateAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/updateAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(updateAttributeDefinition, {
  alsoWrong: wrongTextsOf('definition_id', definitions.read),
})
