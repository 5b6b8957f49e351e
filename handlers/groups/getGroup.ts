import { getGroup } from '../../domain/people/groups/getGroup.ts'
import * as compiled from '../../schemas/compiled/getGroup.js'
import type { getGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getGroup)
