import { lookup } from 'bcp-47-match'
import type { Context } from './context.ts'

/** One language of a text. */
export type Localized = { language: string; text: string }

/** Whom a text is for: the languages he prefers, best first, and the one that the organisation falls back to. */
export type Reader = Pick<Context, 'preferred'> & { default_language: string }

/**
 * The text that fits a reader best by RFC 4647 lookup; else that of the organisation's default language, else the first.
 */
export function textFor({ preferred, default_language }: Reader, texts: readonly Localized[]): Localized {
  const wanted = lookup(
    texts.map(({ language }) => language),
    [...preferred, default_language],
  )
  const best = texts.find(({ language }) => language === wanted) ?? texts[0] ?? { language: default_language, text: '' }
  return { language: best.language, text: best.text }
}

/** The caller as a reader of texts. */
export const readerOf = async ({ preferred, organisation }: Context): Promise<Reader> => ({
  preferred,
  default_language: (await organisation()).default_language,
})

/** The text that fits the caller best, for the answer: its content-language will name the language. */
export async function bestText(context: Context, texts: readonly Localized[]): Promise<Localized> {
  const best = textFor(await readerOf(context), texts)
  context.spoke(best.language)
  return best
}
