import { getMe } from '../../domain/people/own/getMe.ts'
import * as compiled from '../../schemas/compiled/getMe.js'
import type { getMe as contract } from '../../schemas/own.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getMe)
