import { getAttributeDefinition } from '../../domain/people/attributes/getAttributeDefinition.ts'
import type { getAttributeDefinition as contract } from '../../schemas/attributes.ts'
import * as compiled from '../../schemas/compiled/getAttributeDefinition.js'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getAttributeDefinition)
