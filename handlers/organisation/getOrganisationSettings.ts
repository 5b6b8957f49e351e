import { getOrganisationSettings } from '../../domain/organisation/getOrganisationSettings.ts'
import * as validators from '../../schemas/compiled/getOrganisationSettings.js'
import { getOrganisationSettings as contract } from '../../schemas/organisation.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(getOrganisationSettings)
