import { createUser, updateUser } from '../../schemas/compiled/userBodies.js'
import { bodyValidator } from '../request/validateBody.ts'

// The bodies of the single calls by which rows of files are judged.

export const judgeCreation = bodyValidator(createUser)
export const judgePatch = bodyValidator(updateUser, { user_id: 'anyone' })
