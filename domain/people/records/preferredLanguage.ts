import { type AppError, refuseFault } from '../../base/errors.ts'
import { asRecord } from '../../base/values.ts'
import type { Context } from '../../request/context.ts'
import type { UserRecord } from './user.ts'

// The language in which a user reads texts.

/** The language in the spelling of the organisation; undefined if the body names none. */
export type CheckedLanguage = { language?: string | undefined; fault?: AppError | undefined }

/**
 * The language that a body names, which must be one of the organisation's. What the user has already is no fault, even if the
 * organisation has dropped it. The body may be of any form.
 */
export async function checkedLanguage(
  { organisation, organisationNow }: Pick<Context, 'organisation' | 'organisationNow'>,
  body: unknown,
  reading?: Promise<UserRecord | undefined>,
): Promise<CheckedLanguage> {
  const wanted = asRecord(body)?.['preferred_language']
  if (typeof wanted !== 'string') return {}
  const stored = (await reading)?.preferred_language
  const language =
    languageAmong(stored ? [stored] : [], wanted) ?? languageAmong((await organisation()).languages, wanted)
  if (language !== undefined) return { language }
  // The settings may be remembered: a language that was added since must not be refused.
  const added = languageAmong((await organisationNow()).languages, wanted)
  return added === undefined ? { fault: notEnabled() } : { language: added }
}

/** Whether a tag names this language: in tags, case does not matter (RFC 5646). */
export const isSameLanguage = (language: string) => (other: string) => other.toLowerCase() === language.toLowerCase()

/** The language that is the same regardless of case. */
export const languageAmong = (languages: readonly string[], wanted: string): string | undefined =>
  languages.find(isSameLanguage(wanted))

const notEnabled = () =>
  refuseFault('LANGUAGE_NOT_ENABLED', 'preferred_language', 'must be a language of the organisation')

/** A body with the language as it is stored. */
export const withLanguage = <T extends { preferred_language?: string | null | undefined }>(
  body: T,
  { language }: CheckedLanguage,
): T => (language === undefined ? body : { ...body, preferred_language: language })
