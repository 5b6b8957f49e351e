import { updateUsers } from '../../domain/users/updateUsers.ts'
import * as validators from '../../schemas/compiled/updateUsers.js'
import { updateUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateUsers)
