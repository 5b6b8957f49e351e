import { createUser, updateUser } from '../../schemas/compiled/userBodies.js'
import { bodyJudge } from '../request/judge.ts'

// The bodies of the single calls by which rows of files are judged.

export const judgeCreation = bodyJudge(createUser)
export const judgePatch = bodyJudge(updateUser, { user_id: 'anyone' })
