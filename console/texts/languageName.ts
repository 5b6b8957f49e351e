import type { Texts } from './texts.ts'

/** The name of a language, or its tag if the browser knows no name. The service accepts some tags that browsers refuse. */
export function languageName(tag: string, { locale }: Pick<Texts, 'locale'>): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
