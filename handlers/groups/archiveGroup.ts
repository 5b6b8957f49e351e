import { archiveGroup } from '../../domain/groups/archiveGroup.ts'
import * as validators from '../../schemas/compiled/archiveGroup.js'
import { archiveGroup as contract } from '../../schemas/groups.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(archiveGroup)
