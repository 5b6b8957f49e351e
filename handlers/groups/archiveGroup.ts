import { archiveGroup } from '../../domain/people/groups/archiveGroup.ts'
import * as compiled from '../../schemas/compiled/archiveGroup.js'
import type { archiveGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(archiveGroup, { writes })
