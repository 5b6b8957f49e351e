import { listGroups } from '../../domain/people/groups/listGroups.ts'
import * as compiled from '../../schemas/compiled/listGroups.js'
import type { listGroups as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listGroups, { seals: newSeals })
