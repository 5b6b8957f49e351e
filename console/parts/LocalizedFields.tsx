import { useState } from 'preact/hooks'
import type { Schemas } from '../data/api.ts'
import { useMe } from '../shell/me.ts'
import { languageName } from '../texts/languageName.ts'
import { useTexts } from '../texts/texts.ts'
import { TextField } from './Field.tsx'

type Text = Schemas['Localized']
/** A text by language, as a form has it. */
export type Localized = Readonly<Record<string, string>>

export const localizedFrom = (texts: readonly Text[]): Localized =>
  Object.fromEntries(texts.map(({ language, text }) => [language, text]))

/** What is sent: the languages that have a text. */
export const localizedToSend = (value: Localized): Text[] =>
  Object.entries(value).flatMap(([language, text]) => (text.trim() ? [{ language, text }] : []))

export const isEmptyText = (value: Localized): boolean => localizedToSend(value).length === 0

type Properties = {
  name: string
  label: string
  value: Localized
  onValue: (value: Localized) => void
  max: number
  isRequired?: boolean
  fault?: string | undefined
  rows?: number
}

/** A text in each language of the organisation. One is enough; the others fall back to it. */
export function LocalizedFields({ name, label, value, onValue, max, isRequired = false, fault, rows }: Properties) {
  const texts = useTexts()
  const { languages, default_language } = useMe()
  // Texts in a language that the organisation has dropped stay as they are.
  const shown = [...new Set([default_language, ...languages, ...Object.keys(value)])]
  const others = shown.slice(1)
  const [isOpen] = useState(() => others.some((language) => value[language]))
  const field = (language: string) => (
    <TextField
      key={language}
      name={language === default_language ? name : `${name}.${language}`}
      label={shown.length > 1 ? `${label}: ${languageName(language, texts)}` : label}
      isRequired={isRequired && language === default_language}
      max={max}
      {...(rows ? { rows } : {})}
      value={value[language] ?? ''}
      onValue={(text) => onValue({ ...value, [language]: text })}
      fault={language === default_language ? fault : undefined}
    />
  )
  return (
    <>
      {field(default_language)}
      {others.length > 0 && (
        <details class="more" open={isOpen}>
          <summary>{texts.common.otherLanguages(label)}</summary>
          <div class="columns">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}

/** Localized texts in one line, for a comparison of versions. */
export const localizedWords = (value: Localized): string =>
  localizedToSend(value)
    .map(({ language, text }) => `${language}: ${text}`)
    .join(' · ')
