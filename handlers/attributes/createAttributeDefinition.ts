import { createAttributeDefinition } from '../../domain/people/attributes/createAttributeDefinition.ts'
import { getAttributeDefinition } from '../../domain/people/attributes/getAttributeDefinition.ts'
import { wrongNewTexts } from '../../domain/request/localization.ts'
import type { createAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/createAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(createAttributeDefinition, {
  alsoWrong: wrongNewTexts,
  showAgain: (context, definition_id) =>
    getAttributeDefinition(context, { path: { definition_id }, query: {}, body: {} }),
})
