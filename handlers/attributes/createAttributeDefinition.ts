import { createAttributeDefinition } from '../../domain/people/attributes/createAttributeDefinition.ts'
import { getAttributeDefinition } from '../../domain/people/attributes/getAttributeDefinition.ts'
import { wrongNewTexts } from '../../domain/request/localizedTexts.ts'
import type { createAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/createAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createAttributeDefinition, {
  body: readJson,
  writes,
  moreFaults: wrongNewTexts,
  repeats: repeatable((context, definition_id) =>
    getAttributeDefinition(context, { path: { definition_id }, query: {}, body: {} }),
  ),
})
