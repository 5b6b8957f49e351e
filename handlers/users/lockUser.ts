import { lockUser } from '../../domain/users/lockUser.ts'
import * as validators from '../../schemas/compiled/lockUser.js'
import { lockUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(lockUser)
