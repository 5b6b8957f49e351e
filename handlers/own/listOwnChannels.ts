import { listOwnChannels } from '../../domain/people/own/listOwnChannels.ts'
import * as compiled from '../../schemas/compiled/listOwnChannels.js'
import type { listOwnChannels as contract } from '../../schemas/own.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listOwnChannels, { seals: newSeals })
