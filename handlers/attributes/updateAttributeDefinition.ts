import { updateAttributeDefinition } from '../../domain/people/attributes/updateAttributeDefinition.ts'
import { definitions } from '../../domain/people/records/attributeDefinition.ts'
import { wrongTextsOf } from '../../domain/request/localizedTexts.ts'
import type { updateAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/updateAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateAttributeDefinition, {
  body: readJson,
  writes,
  moreFaults: wrongTextsOf('definition_id', definitions.read),
})
