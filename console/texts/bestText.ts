import type { Schemas } from '../data/api.ts'
import type { Texts } from './texts.ts'

/** The text in the reader's language, else the first one. Single answers hold all languages. */
export function bestText(all: readonly Schemas['Localized'][], { language }: Texts): string {
  const fitting = all.find(({ language: tag }) => tag.toLowerCase().split('-')[0] === language)
  return (fitting ?? all[0])?.text ?? ''
}
