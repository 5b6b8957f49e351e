import { lookup } from 'bcp-47-match'
import type { Context } from './context.ts'

/** One language of a text. */
export type Localized = { language: string; text: string }

/**
 * The text that fits the caller best by RFC 4647 lookup; else that of the organisation's default language, else the
 * first. The answer's content-language will name it.
 */
export async function bestText(context: Context, texts: readonly Localized[]): Promise<Localized> {
  const { default_language } = await context.organisation()
  const wanted = lookup(
    texts.map(({ language }) => language),
    [...context.preferred, default_language],
  )
  const best = texts.find(({ language }) => language === wanted) ?? texts[0] ?? { language: default_language, text: '' }
  context.spoke(best.language)
  return { language: best.language, text: best.text }
}
