import { type AppError, errorOf } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { changedOrSame } from '../request/input.ts'
import { decideOn } from '../request/preconditions.ts'
import {
  newOrganisation,
  normalizedOrganisation,
  organisationFaults,
  organisations,
  patchedOrganisation,
  settingsOf,
} from './organisation.ts'

/** Applies a merge patch, also before any import. Of two at once that change different fields both are kept. */
export async function updateOrganisationSettings(context: Context, { body }: Input<'updateOrganisationSettings'>) {
  const { store } = context
  const stored = await organisations.read(store)
  const before = stored ?? newOrganisation
  const patched = patchedOrganisation(before, body)
  const fault = errorOf(organisationFaults(patched))
  if (fault && organisationFaults(body).length > 0) throw fault
  const decide = () => {
    // A fault only together with what is stored: the caller may not know that it has changed.
    if (fault) throw fault
    return changedOrSame(before, normalizedOrganisation(patched))
  }
  const after = decideOn(context, before, decide, settingsOf(before))
  if (after !== before) await store.write([organisations.replace(stored, after)])
  const settings = settingsOf(after)
  return { status: 200, body: settings, own: settings }
}

/** More faults of a patch that the schema has refused. */
export const wrongOrganisation = async ({ organisation }: Context, body: unknown): Promise<AppError | undefined> =>
  errorOf(organisationFaults(patchedOrganisation(await organisation(), body)))
