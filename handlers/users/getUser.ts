import { getUser } from '../../domain/users/getUser.ts'
import * as validators from '../../schemas/compiled/getUser.js'
import { getUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getUser)
