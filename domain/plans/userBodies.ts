import * as creation from '../../schemas/compiled/createUser.js'
import * as patch from '../../schemas/compiled/updateUser.js'
import { bodyJudge } from '../request/bodies.ts'

// The bodies of the single calls by which rows of files are judged.

export const judgeCreation = bodyJudge(creation)
export const judgePatch = bodyJudge(patch, { user_id: 'anyone' })
