import Negotiator from 'negotiator'

/** The language ranges of an Accept-Language header, best first; a wildcard leaves the choice to us. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  header ? new Negotiator({ headers: { 'accept-language': header } }).languages().filter((range) => range !== '*') : []
