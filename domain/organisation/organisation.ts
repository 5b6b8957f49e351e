import type { Organisation } from '../request/context.ts'
import { organisationKey } from '../table/keys.ts'
import { defineRecord } from '../table/records.ts'
import type { Store } from '../table/store.ts'

export type { Organisation, PredefinedRoleType } from '../request/context.ts'

/** The organisation until its first change or import. */
export const newOrganisation: Organisation = {
  default_language: 'en-GB',
  languages: ['en-GB'],
  features: { tasks: true, user_deactivation: true },
  predefined: {},
}

/** The one record of the organisation; there is none until the first change or import. */
export const organisations = defineRecord<Organisation, []>({
  key: () => organisationKey,
  idOf: () => [],
  events: { kind: 'organisation_settings', id: () => 'settings', initial: newOrganisation, hidden: ['predefined'] },
})

/** The organisation as it is now. */
export const readOrganisation = async (store: Store): Promise<Organisation> =>
  (await organisations.read(store)) ?? newOrganisation
