import preferredLanguages from 'negotiator/lib/language.js'

/** The language ranges of an Accept-Language header, best first; a wildcard leaves the choice to us. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  header ? preferredLanguages(header).filter((range) => range !== '*') : []
