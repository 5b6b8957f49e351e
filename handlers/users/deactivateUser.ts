import { deactivateUser } from '../../domain/users/deactivateUser.ts'
import * as validators from '../../schemas/compiled/deactivateUser.js'
import { deactivateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(deactivateUser)
