import type { Organisation } from '../../request/context.ts'
import { a, declareFields, everywhere } from '../../table/fields.ts'
import { organisationKey } from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Store } from '../../table/store.ts'

export type { Organisation, PredefinedRoleType } from '../../request/context.ts'

export const organisationFields = declareFields({
  default_language: { type: a<string>(), set: 'ALWAYS', initial: 'en-GB' },
  languages: { type: a<string[]>(), set: 'ALWAYS', initial: ['en-GB'] },
  features: {
    type: a<Organisation['features']>(),
    set: 'ALWAYS',
    default: { tasks: true, user_deactivation: true, people_directory: true },
    later: ['people_directory'],
  },
  // Set by imports only.
  predefined: { type: a<Organisation['predefined']>(), initial: {}, hidden: everywhere },
  has_rules: { type: a<true>(), optional: true, hidden: everywhere },
})

/** The organisation until its first change or import. */
export const newOrganisation: Organisation = organisationFields.create({}, {})

/** The only record of the organisation. It does not exist before the first change or import. */
export const organisations = defineRecord<Organisation, []>({
  key: () => organisationKey,
  fields: organisationFields,
  // Stryker disable next-line ArrayDeclaration: the key has no parts
  idOf: () => [],
  events: { kind: 'organisation_settings', id: () => 'settings', initial: newOrganisation },
})

/** The organisation as it is now. */
export const readOrganisation = async (store: Store): Promise<Organisation> =>
  (await organisations.read(store)) ?? newOrganisation

const predefined: Record<keyof Organisation['predefined'], true> = {
  USER_GROUP_MEMBER: true,
  USER_GROUP_OWNER: true,
  CHANNEL_MEMBER: true,
  CHANNEL_OWNER: true,
  ROOT: true,
  ALL_USERS: true,
}
/** Whether an import has created all predefined roles and groups. After that, their ids do not change. */
export const hasAllPredefined = (organisation: Organisation): boolean =>
  Object.keys(predefined).every((type) => type in organisation.predefined)
