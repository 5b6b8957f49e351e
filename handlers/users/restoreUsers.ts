import { restoreUsers } from '../../domain/users/restoreUsers.ts'
import * as validators from '../../schemas/compiled/restoreUsers.js'
import { restoreUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(restoreUsers)
