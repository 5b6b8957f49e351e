import type { Answer, Context } from '../request/context.ts'
import { settingsOf } from './organisationRules.ts'

/** Reads the settings of the organisation. */
export const getOrganisationSettings = async ({
  organisation,
}: Context): Promise<Answer<ReturnType<typeof settingsOf>>> => ({ status: 200, body: settingsOf(await organisation()) })
