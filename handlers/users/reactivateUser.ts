import { reactivateUser } from '../../domain/users/reactivateUser.ts'
import * as validators from '../../schemas/compiled/reactivateUser.js'
import { reactivateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(reactivateUser)
