import type { Context } from '../../request/context.ts'
import { organisationFields, readOrganisation } from '../records/organisation.ts'

/** Reads the settings of the organisation as they are now, not as remembered: the caller may change them next. */
export async function getOrganisationSettings(context: Context) {
  const organisation = await readOrganisation(context.store)
  return organisationFields.answer(organisation)
}
