import { listOwnGroups } from '../../domain/people/own/listOwnGroups.ts'
import * as compiled from '../../schemas/compiled/listOwnGroups.js'
import type { listOwnGroups as contract } from '../../schemas/own.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listOwnGroups, { seals: newSeals })
