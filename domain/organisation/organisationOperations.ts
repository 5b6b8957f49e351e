import { isDeepStrictEqual } from 'node:util'
import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/organisation.ts'
import { type AppError, errorOf } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { organisationKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { replacing } from '../table/store.ts'
import { newOrganisation, type Organisation } from './organisation.ts'
import { organisationFaults, patchedOrganisation, settingsOf, settledOrganisation } from './organisationRules.ts'

type SettingsAnswer = Promise<Answer<ReturnType<typeof settingsOf>>>

/** Reads the settings of the organisation. */
export const getOrganisationSettings = async ({ organisation }: Context): SettingsAnswer => ({
  status: 200,
  body: settingsOf(await organisation()),
})

/** Applies a merge patch, also before any import; of two at once that change different fields both are kept. */
export function updateOrganisationSettings(
  { store }: Context,
  { body }: Input<typeof contracts.updateOrganisationSettings>,
): SettingsAnswer {
  return retrying(async () => {
    const stored = (await store.get(organisationKey))?.['data'] as Organisation | undefined
    const before = stored ?? newOrganisation
    const wanted = patchedOrganisation(before, body)
    const fault = errorOf(organisationFaults(wanted))
    if (fault) throw fault
    const after = settledOrganisation(wanted)
    if (!isDeepStrictEqual(after, before)) await store.write([replacing({ ...organisationKey, data: after }, stored)])
    return { status: 200, body: settingsOf(after) }
  })
}

/** What else is wrong with a patch that has faults of its form. */
export const wrongOrganisation = async ({ organisation }: Context, body: unknown): Promise<AppError | undefined> =>
  errorOf(organisationFaults(patchedOrganisation(await organisation(), body)))
