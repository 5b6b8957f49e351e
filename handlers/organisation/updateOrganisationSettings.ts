import {
  updateOrganisationSettings,
  wrongOrganisation,
} from '../../domain/people/organisation/updateOrganisationSettings.ts'
import * as compiled from '../../schemas/compiled/updateOrganisationSettings.js'
import type { updateOrganisationSettings as contract } from '../../schemas/organisation.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateOrganisationSettings, {
  body: readJson,
  writes,
  moreFaults: wrongOrganisation,
})
