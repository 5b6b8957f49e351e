import { type CodedFault, faultAt } from '../../base/errors.ts'
import { mergePatch } from '../../request/patch.ts'
import { type Organisation, organisationFields } from './organisation.ts'
import { isSameLanguage } from './preferredLanguage.ts'

// Changes of the organisation's settings.

/** The organisation after a merge patch, faulty or not. */
export const patchedOrganisation = (before: Organisation, patch: unknown): Organisation =>
  mergePatch(before, patch, organisationFields.valueForNull)

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
