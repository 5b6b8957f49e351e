// Languages by their names, to choose from. Pure.
import { languageName } from '../texts/languageName.ts'
import type { Texts } from '../texts/texts.ts'
import type { Option } from './choices.ts'

/** What is offered: browsers have names, and no list. Any other language is found by its tag. */
const offered = (
  'af am ar ar-EG az be bg bn bs ca cs cy da de de-AT de-CH el en en-AU en-CA en-GB en-IE en-IN en-US es es-419 es-MX et eu fa fi fil fr ' +
  'fr-BE fr-CA fr-CH ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lb lo lt lv mk ml mn mr ms mt my nb ne nl nl-BE nn pa pl pt ' +
  'pt-BR pt-PT ro ru si sk sl sq sr sv sw ta te th ti tr uk ur uz vi yue zh-Hans zh-Hant zu'
).split(' ')

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** A language tag in its standard form; undefined if the text is not a tag. A tag begins with two or three letters. */
function tagOf(text: string): string | undefined {
  if (!/^[a-z]{2,3}(-|$)/i.test(text)) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

const isNamed = (tag: string, { locale }: Texts): boolean =>
  new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' }).of(tag) !== undefined

export const languageOption = (tag: string, texts: Texts): Option => ({
  value: tag,
  text: languageName(tag, texts),
  note: tag,
})

/** The language of a tag that is typed, if it has a name: `de`, `fr-CA`. */
export function typedLanguage(text: string, texts: Texts): Option | null {
  const tag = tagOf(text.trim())
  return tag && isNamed(tag, texts) ? languageOption(tag, texts) : null
}

/** The languages whose name, in the reader's language or in their own, or whose tag contains a text; last the tag that is typed. */
export function findLanguages(text: string, texts: Texts): Option[] {
  const wanted = folded(text.trim())
  const tag = tagOf(text.trim())
  const found = offered
    .filter((one) =>
      [one, languageName(one, texts), languageName(one, { ...texts, locale: one })].some((name) =>
        folded(name).includes(wanted),
      ),
    )
    .map((one) => languageOption(one, texts))
    .toSorted((a, b) => Number(b.value === tag) - Number(a.value === tag) || a.text.localeCompare(b.text, texts.locale))
  const isThere = tag === undefined || found.some(({ value }) => value === tag)
  return isThere
    ? found
    : [...found, { value: tag, text: languageName(tag, texts), note: `${tag}, ${texts.common.asTyped}` }]
}
