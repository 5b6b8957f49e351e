import { deleteUsers } from '../../domain/users/deleteUsers.ts'
import * as validators from '../../schemas/compiled/deleteUsers.js'
import { deleteUsers as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteUsers)
