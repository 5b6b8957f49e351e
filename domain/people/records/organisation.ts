import { type CodedFault, faultAt } from '../../base/errors.ts'
import type { Organisation } from '../../request/context.ts'
import { mergePatch } from '../../request/input.ts'
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

/** The organisation after a merge patch, faulty or not. */
export const patchedOrganisation = (before: Organisation, patch: unknown): Organisation =>
  mergePatch(before, patch, organisationFields.valueForNull)

/** Whether a tag names this language: in tags, case does not matter (RFC 5646). */
export const isSameLanguage = (language: string) => (other: string) => other.toLowerCase() === language.toLowerCase()

/** The schema refuses longer lists. Only these are compared, as a body may have a hundred thousand. */
const MOST_LANGUAGES = 50

/** Faults of the settings as a whole, or of a patch by itself. The schema reports values of a wrong type. */
export function organisationFaults({
  default_language,
  languages,
}: Partial<Pick<Organisation, 'default_language' | 'languages'>>): CodedFault[] {
  if (!Array.isArray(languages) || languages.length === 0) return []
  if (!languages.every((one) => typeof one === 'string')) return []
  const few = languages.slice(0, MOST_LANGUAGES)
  const twice = few.findIndex((one, n) => few.findIndex(isSameLanguage(one)) < n)
  return [
    ...(typeof default_language !== 'string' || languages.some(isSameLanguage(default_language))
      ? []
      : [faultAt('LANGUAGE_NOT_ENABLED', 'default_language', 'must be one of the languages')]),
    // Stryker disable next-line EqualityOperator: the first language never repeats an earlier one
    ...(twice < 0 ? [] : [faultAt('VALIDATION_ERROR', `languages.${twice}`, 'must not be given twice')]),
  ]
}

/** A valid organisation with its default language spelled as in its languages. */
export const normalizedOrganisation = (organisation: Organisation): Organisation => ({
  ...organisation,
  default_language:
    organisation.languages.find(isSameLanguage(organisation.default_language)) ?? organisation.default_language,
})
