import { organisationKey } from '../table/keys.ts'
import { defineRecord } from '../table/records.ts'
import type { Store } from '../table/store.ts'

/** Settings of the organisation, and the ids of what is predefined in it. */
export type Organisation = {
  default_language: string
  languages: string[]
  features: { tasks: boolean; user_deactivation: boolean }
  /** Ids of the predefined roles by type, and of the groups of type ROOT and ALL_USERS; empty before the first import. */
  predefined: Partial<Record<PredefinedRoleType | 'ROOT' | 'ALL_USERS', string>>
}

export type PredefinedRoleType = 'USER_GROUP_MEMBER' | 'USER_GROUP_OWNER' | 'CHANNEL_MEMBER' | 'CHANNEL_OWNER'

/** The one record of the organisation; there is none until the first change or import. */
export const organisations = defineRecord<Organisation, []>({ key: () => organisationKey, idOf: () => [] })

/** The organisation until its first change or import. */
export const newOrganisation: Organisation = {
  default_language: 'en-GB',
  languages: ['en-GB'],
  features: { tasks: true, user_deactivation: true },
  predefined: {},
}

/** The organisation as it is now. */
export const readOrganisation = async (store: Pick<Store, 'get'>): Promise<Organisation> =>
  (await organisations.read(store)) ?? newOrganisation
