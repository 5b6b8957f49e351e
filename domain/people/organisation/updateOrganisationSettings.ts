import { type AppError, errorOf } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { changedOrSame } from '../../request/patch.ts'
import { replaceRecord } from '../../table/changes.ts'
import { newOrganisation, organisationFields, organisations, readOrganisation } from '../records/organisation.ts'
import { normalizedOrganisation, organisationFaults, patchedOrganisation } from '../records/organisationRules.ts'

/**
 * Applies a merge patch, also before any import. Two patches at the same time are both kept if they change different
 * fields.
 */
export async function updateOrganisationSettings(context: Context, { body }: Input<'updateOrganisationSettings'>) {
  const { store } = context
  const stored = await organisations.read(store)
  const before = stored ?? newOrganisation
  const patched = patchedOrganisation(before, body)
  const fault = errorOf(organisationFaults(patched))
  if (fault && organisationFaults(body).length > 0) throw fault
  const decide = () => {
    // The patch only conflicts with stored settings. If these have changed, If-Match decides before this fault.
    if (fault) throw fault
    return changedOrSame(before, normalizedOrganisation(patched))
  }
  const after = changeIfMatch(context, before, decide, organisationFields.own(before))
  if (after !== before) await store.write([replaceRecord(organisations, stored, after)])
  return organisationFields.answer(after)
}

/** Finds more faults in a patch that the schema has refused. */
export const wrongOrganisation = async ({ store }: Context, body: unknown): Promise<AppError | undefined> =>
  errorOf(organisationFaults(patchedOrganisation(await readOrganisation(store), body)))
