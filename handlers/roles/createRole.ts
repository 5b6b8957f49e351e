import { createRole } from '../../domain/people/roles/createRole.ts'
import { getRole } from '../../domain/people/roles/getRole.ts'
import { wrongNewTexts } from '../../domain/request/localizedTexts.ts'
import * as compiled from '../../schemas/compiled/createRole.js'
import type { createRole as contract } from '../../schemas/roles.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createRole, {
  body: readJson,
  writes,
  moreFaults: wrongNewTexts,
  repeats: repeatable((context, role_id) => getRole(context, { path: { role_id }, query: {}, body: {} })),
})
