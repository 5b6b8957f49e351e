import { type CodedFault, faultAt } from '../../base/errors.ts'
import type { Organisation } from '../../request/context.ts'
import { type Cleared, mergePatch } from '../../request/input.ts'
import { organisationKey } from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Store } from '../../table/store.ts'

export type { Organisation, PredefinedRoleType } from '../../request/context.ts'

/** The organisation until its first change or import. */
export const newOrganisation: Organisation = {
  default_language: 'en-GB',
  languages: ['en-GB'],
  features: { tasks: true, user_deactivation: true },
  predefined: {},
}

/** The only record of the organisation. It does not exist before the first change or import. */
export const organisations = defineRecord<Organisation, []>({
  key: () => organisationKey,
  // Stryker disable next-line ArrayDeclaration: the key has no parts
  idOf: () => [],
  events: {
    kind: 'organisation_settings',
    id: () => 'settings',
    initial: newOrganisation,
    hidden: ['predefined', 'has_rules'],
  },
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

/** The own fields of the settings, which make their version. Predefined ids come only from imports. */
export const ownOfSettings = ({ default_language, languages, features }: Organisation) => ({
  default_language,
  languages,
  features,
})

/** The settings that administrators see and change. */
export const settingsOf = ({ default_language, languages, features }: Organisation) => ({
  default_language,
  languages,
  features: { ...features, people_directory: features.people_directory ?? true },
})

/** What a patch can change. No setting can be cleared: the schema refuses null. */
const cleared: Cleared<Organisation> = {
  default_language: undefined,
  languages: undefined,
  features: settingsOf(newOrganisation).features,
}

/** The organisation after a merge patch, faulty or not. */
export const patchedOrganisation = (before: Organisation, patch: unknown): Organisation =>
  mergePatch(before, patch, cleared)

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

/** A valid organisation as it is stored: its default language spelled as in its languages, and no feature that is on by default. */
export const normalizedOrganisation = ({
  features: { people_directory, ...features },
  ...organisation
}: Organisation): Organisation => ({
  ...organisation,
  features: people_directory === false ? { ...features, people_directory } : features,
  default_language:
    organisation.languages.find(isSameLanguage(organisation.default_language)) ?? organisation.default_language,
})
