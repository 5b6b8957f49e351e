import { updateOrganisationSettings, wrongOrganisation } from '../../domain/organisation/updateOrganisationSettings.ts'
import * as validators from '../../schemas/compiled/updateOrganisationSettings.js'
import { updateOrganisationSettings as contract } from '../../schemas/organisation.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(updateOrganisationSettings, { alsoWrong: wrongOrganisation })
