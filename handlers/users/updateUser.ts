import { updateUser } from '../../domain/users/updateUser.ts'
import { wrongReferences } from '../../domain/users/userWrites.ts'
import * as validators from '../../schemas/compiled/updateUser.js'
import { updateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateUser, { alsoWrong: wrongReferences })
