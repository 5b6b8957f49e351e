import preferredLanguages from 'negotiator/lib/language.js'
import type { Context, Localized } from './context.ts'

/** Picks the text that fits the caller best. */
export type Choice = (texts: readonly Localized[]) => Localized

/** By what each call has of its context alone. */
const choices = new WeakMap<Context['organisation'], Choice>()

/** Picks texts in the caller's language: the same one in all answers of a call, wherever the texts are shown or sorted. */
export async function choiceOf(context: Reader): Promise<Choice> {
  const { organisation } = context
  const [languages, settings] = await Promise.all([languagesOf(context), organisation()])
  const choice = choices.get(organisation) ?? choiceFor(languages, settings)
  choices.set(organisation, choice)
  return choice
}

type Reader = Pick<Context, 'acceptLanguage' | 'actor' | 'organisation'>

/**
 * The language ranges that the caller prefers, best first: those of Accept-Language, or else the language in which they read
 * texts, while the organisation uses it.
 */
export async function languagesOf({ acceptLanguage, actor, organisation }: Reader): Promise<readonly string[]> {
  const accepted = acceptedLanguages(acceptLanguage)
  if (accepted.length > 0) return accepted
  const [caller, { languages }] = await Promise.all([actor(), organisation()])
  const own = caller.kind === 'USER' ? caller.language?.toLowerCase() : undefined
  return languages.filter((language) => language.toLowerCase() === own)
}

/** The language ranges of a header, best first. A wildcard is dropped: it means any language. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  header ? preferredLanguages(header).filter((range) => range !== '*') : []

/** The language that RFC 4647 lookup finds for these ranges, best first; undefined if it finds none. */
export function lookedUp(ranges: readonly string[], languages: readonly string[]): string | undefined {
  const wishes = ranges.flatMap((range) => shortened(range.toLowerCase()))
  return wishes
    .map((wish) => languages.find((language) => language.toLowerCase() === wish))
    .find((found) => found !== undefined)
}

/** The text that fits the caller best, for the answer: its content-language names the language. */
export async function bestText(context: Context, texts: readonly Localized[]): Promise<Localized> {
  const choose = await choiceOf(context)
  const best = choose(texts)
  context.noteLanguage(best.language)
  return best
}

/** The title and description that fit the caller best; null for no description. */
export async function bestTexts(context: Context, { title, description }: Texts) {
  const [best, more] = await Promise.all([
    bestText(context, title),
    description.length > 0 ? bestText(context, description) : null,
  ])
  return { title: best, description: more }
}
type Texts = { title: readonly Localized[]; description: readonly Localized[] }

/**
 * Chooses texts for a caller who prefers these language ranges, best first. For each range it looks for the tags that
 * RFC 4647 lookup tries, then for a tag that begins with the range. If no range finds anything, it looks for a tag of
 * the same primary language. Then come the organisation's default language and the first text. A language that the
 * organisation has dropped is chosen only if there is no other.
 */
export function choiceFor(
  preferred: readonly string[],
  { default_language, languages }: { default_language: string; languages: readonly string[] },
): Choice {
  const fallback = default_language.toLowerCase()
  const spoken = new Set(languages.map((language) => language.toLowerCase()))
  const wishes = [...wishesOf(preferred.map((range) => range.toLowerCase())), ...wishesOf([fallback])]
  const ranks = new Map<string, number>()
  const rankOf = (tag: string): number => {
    const cached = ranks.get(tag)
    if (cached !== undefined) return cached
    const place = wishes.findIndex((wish) => tag === wish || (wish.endsWith('-') && tag.startsWith(wish)))
    // Of the languages that fit equally well, the default comes first.
    const within = (place < 0 ? wishes.length : place) - (tag === fallback ? 0.5 : 0)
    const rank = spoken.has(tag) ? within : wishes.length + 1 + within
    ranks.set(tag, rank)
    return rank
  }
  return (texts) => {
    const ranked = texts.map(({ language, text }) => ({ language, text, rank: rankOf(language.toLowerCase()) }))
    const [first] = ranked
    if (!first) return { language: default_language, text: '' }
    const { language, text } = ranked.reduce((best, one) => (one.rank < best.rank ? one : best), first)
    return { language, text }
  }
}

/** What to look for, best first: whole tags, and beginnings of tags, which end in a hyphen. */
const wishesOf = (ranges: readonly string[]): string[] => [
  ...ranges.flatMap((range) => [...shortened(range), `${range}-`]),
  ...ranges.map((range) => `${range.split('-', 1)[0]}-`),
]

/** The range and its shorter forms (RFC 4647 lookup): one part less each time, none ending in a single character. */
function shortened(range: string): string[] {
  const parts = range.split('-')
  return parts
    .map((_part, cut) => parts.slice(0, parts.length - cut))
    .filter((left, cut) => cut === 0 || left.at(-1)?.length !== 1)
    .map((left) => left.join('-'))
}
