import { restoreUser } from '../../domain/users/restoreUser.ts'
import * as validators from '../../schemas/compiled/restoreUser.js'
import { restoreUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(restoreUser)
