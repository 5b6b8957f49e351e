import { deleteUser } from '../../domain/users/deleteUser.ts'
import * as validators from '../../schemas/compiled/deleteUser.js'
import { deleteUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deleteUser)
