import { getOrganisationSettings } from '../../domain/people/organisation/getOrganisationSettings.ts'
import * as compiled from '../../schemas/compiled/getOrganisationSettings.js'
import type { getOrganisationSettings as contract } from '../../schemas/organisation.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getOrganisationSettings)
