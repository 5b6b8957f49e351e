import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Texts } from './en.ts'

export type { Texts } from './en.ts'

/** The languages of the console, each in a file that is loaded when it is wanted. */
const languages = {
  en: { name: 'English', load: async () => (await import('./en.ts')).en as Texts },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
}
export type Language = keyof typeof languages
export const languageNames = Object.entries(languages).map(([tag, { name }]) => ({ tag: tag as Language, name }))

const storageKey = 'rollcall.language'

/** What the person has chosen on this device. */
const chosenLanguage = (): Language | undefined => known(localStorage.getItem(storageKey))
export const chooseLanguage = (language: Language): void => localStorage.setItem(storageKey, language)

const known = (tag: string | null | undefined): Language | undefined => {
  const primary = tag?.toLowerCase().split('-')[0]
  return languageNames.find((one) => one.tag === primary)?.tag
}

/** The language of the console: the one chosen here, else that of the person's record, else the browser's, else English. */
export const languageFor = (preferred?: string | null): Language =>
  chosenLanguage() ?? [preferred, ...navigator.languages].map(known).find(Boolean) ?? 'en'

/** In which languages the organisation's own texts are wanted, as in Accept-Language. */
export function acceptLanguage(preferred?: string | null): string {
  const tags = [chosenLanguage(), preferred, ...navigator.languages].filter((tag) => tag)
  return [...new Set(tags)].map((tag, n) => (n === 0 ? tag : `${tag};q=${Math.max(0.1, 1 - n / 10)}`)).join(', ')
}

export const loadTexts = (language: Language): Promise<Texts> => languages[language].load()

export const TextsContext = createContext<Texts | undefined>(undefined)

/** The texts in the reader's language. */
export function useTexts(): Texts {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('Texts are loaded before anything is shown')
  return texts
}

/** The text for a name that the service may have added since this page was built; else the name itself. */
export const textOf = (texts: Readonly<Record<string, unknown>>, name: string): string =>
  Object.hasOwn(texts, name) ? String(texts[name]) : name
