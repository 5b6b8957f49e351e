import { roles } from '../../domain/people/records/role.ts'
import { updateRole } from '../../domain/people/roles/updateRole.ts'
import { wrongTextsOf } from '../../domain/request/localizedTexts.ts'
import * as compiled from '../../schemas/compiled/updateRole.js'
import type { updateRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateRole, {
  body: readJson,
  writes,
  moreFaults: wrongTextsOf('role_id', roles.read),
})
