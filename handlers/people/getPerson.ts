import { getPerson } from '../../domain/people/finding/getPerson.ts'
import * as compiled from '../../schemas/compiled/getPerson.js'
import type { getPerson as contract } from '../../schemas/people.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getPerson)
