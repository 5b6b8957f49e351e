import type { Localized } from './localization.ts'

/** Picks from the texts of a record the one that fits a caller best. */
export type Choice = (texts: readonly Localized[]) => Localized

/**
 * The choice of a caller who prefers these language ranges, best first. For one range after the other it looks for the
 * tags that RFC 4647 lookup tries, then for a tag that begins with the range. If no range finds anything, it looks for a
 * tag of the same primary language. Then come the organisation's default language and the first text. A language that the
 * organisation has dropped is chosen only where there is no other.
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
    const known = ranks.get(tag)
    if (known !== undefined) return known
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

/** What to look for, best first: a whole tag, or what a tag begins with, which ends in a hyphen. */
const wishesOf = (ranges: readonly string[]): string[] => [
  ...ranges.flatMap((range) => [...shortened(range), `${range}-`]),
  ...ranges.map((range) => `${range.split('-', 1)[0]}-`),
]

/** The range, and what lookup makes of it: one part less each time, and never a single character at the end. */
function shortened(range: string): string[] {
  const parts = range.split('-')
  return parts
    .map((_part, cut) => parts.slice(0, parts.length - cut))
    .filter((left, cut) => cut === 0 || left.at(-1)?.length !== 1)
    .map((left) => left.join('-'))
}
