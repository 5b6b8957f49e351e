import { updateTask, wrongPatch } from '../../domain/tasks/updateTask.ts'
import * as validators from '../../schemas/compiled/updateTask.js'
import { updateTask as contract } from '../../schemas/tasks.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateTask, { alsoWrong: wrongPatch })
