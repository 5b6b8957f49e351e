import { type Found, faultAt } from '../base/errors.ts'
import { asRecord } from '../request/given.ts'
import type { Organisation } from './organisation.ts'

/** What of the organisation is for administrators to see and change; what is predefined in it, imports bring. */
export const settingsOf = ({ default_language, languages, features }: Organisation) => ({
  default_language,
  languages,
  features,
})

/** The organisation after a merge patch, faulty or not. */
export function patchedOrganisation(before: Organisation, patch: unknown): Organisation {
  const { default_language, languages, features } = { ...before, ...asRecord(patch) } as Organisation
  return { ...before, default_language, languages, features: { ...before.features, ...features } }
}

const isSame = (language: string) => (other: string) => other.toLowerCase() === language.toLowerCase()

/** What is wrong with an organisation as a whole, beyond the form of its settings. */
export function organisationFaults({ default_language, languages }: Organisation): Found[] {
  if (!Array.isArray(languages) || languages.length === 0) return []
  // What is no text is for its schema to refuse: what it was meant to be, nobody knows.
  if (!languages.every((one) => typeof one === 'string')) return []
  const twice = languages.findIndex((one, n) => languages.findIndex(isSame(one)) < n)
  return [
    ...(typeof default_language !== 'string' || languages.some(isSame(default_language))
      ? []
      : [faultAt('LANGUAGE_NOT_ENABLED', 'default_language', 'must be one of the languages')]),
    ...(twice < 0 ? [] : [faultAt('VALIDATION_ERROR', `languages.${twice}`, 'must not be given twice')]),
  ]
}

/** A sound organisation as it is kept: its default language as its languages spell it. */
export const settledOrganisation = (organisation: Organisation): Organisation => ({
  ...organisation,
  default_language: organisation.languages.find(isSame(organisation.default_language)) ?? organisation.default_language,
})
