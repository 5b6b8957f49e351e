import { unlockUser } from '../../domain/users/unlockUser.ts'
import * as validators from '../../schemas/compiled/unlockUser.js'
import { unlockUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(unlockUser)
