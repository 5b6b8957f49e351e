import { restoreGroup } from '../../domain/people/groups/restoreGroup.ts'
import * as compiled from '../../schemas/compiled/restoreGroup.js'
import type { restoreGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(restoreGroup, { writes })
