import { getOwnChannel } from '../../domain/people/own/getOwnChannel.ts'
import * as compiled from '../../schemas/compiled/getOwnChannel.js'
import type { getOwnChannel as contract } from '../../schemas/own.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getOwnChannel)
