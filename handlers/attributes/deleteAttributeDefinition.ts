import { deleteAttributeDefinition } from '../../domain/people/attributes/deleteAttributeDefinition.ts'
import type { deleteAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/deleteAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteAttributeDefinition, { writes })
