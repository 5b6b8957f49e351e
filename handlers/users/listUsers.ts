import { listUsers } from '../../domain/users/listUsers.ts'
import * as validators from '../../schemas/compiled/listUsers.js'
import { listUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(listUsers)
