import type { Context } from '../request/context.ts'
import { settingsOf } from './organisationRules.ts'

/** Reads the settings of the organisation. */
export const getOrganisationSettings = async (context: Context) => ({
  status: 200,
  body: settingsOf(await context.organisation()),
})
