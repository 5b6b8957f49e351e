import { listPeople } from '../../domain/people/finding/listPeople.ts'
import * as compiled from '../../schemas/compiled/listPeople.js'
import type { listPeople as contract } from '../../schemas/people.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listPeople, { seals: newSeals })
