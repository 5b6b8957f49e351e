import { unseen } from '../../schemas/patterns.ts'
import { SEPARATOR } from './text.ts'

// Texts as people search them: without case and accents, word by word.

/** Letters whose mark Unicode does not separate, with the letters that most people type for them; and typographic signs. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '‐': '-',
  '–': '-',
}
const special = /[ßøłæœđðþıħς’‘ʼ‐–]/g
/** Marks that search ignores (Latin, Greek, Cyrillic, Hebrew, Arabic). Dakuten and vowel signs stay: they make another letter. */
const accents = /[[\p{M}&&[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}\p{sc=Cyrl}]]--[\u3099\u309a]]/gv
const controls = /[\u0000-\u001f\u007f-\u009f]/g
const beyondAscii = /[^\x20-\x7e]/

/** Text as search and sorting use it: without regard to case, accents and width. */
export function fold(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .replace(controls, ' ')
    .toLowerCase()
    .replace(special, (letter) => plain[letter] ?? letter)
    .normalize('NFC')
}

const seen = new RegExp(`[^\\p{Cc}${unseen}]`, 'u')

/** Whether a text has a visible character. */
export const isVisible = (text: string): boolean => seen.test(text)

const punctuation = /[\p{P}\p{S}]/u

/**
 * The words of a field: the texts between white space, their parts between punctuation, and the whole host of an e-mail
 * address.
 */
export function wordsOf(folded: string): string[] {
  return folded
    .split(/\s/u)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts = word.split(punctuation).filter((part) => part !== '')
      const at = word.lastIndexOf('@')
      return [word, ...parts, ...(at > 0 && at < word.length - 1 ? [word.slice(at + 1)] : [])]
    })
}

const syntax = /[\\^$.*+?()[\]{}|/]/g

/**
 * Returns a test: whether each of these words is the beginning of a word of a text, whose fields may be joined by SEPARATOR.
 * `wordsOf` would give the same result, but a search tests tens of thousands of users, so no text is split into words.
 */
export function beginsWords(terms: readonly string[]): (text: string) => boolean {
  const patterns = terms.map((term) => {
    const word = term.replace(syntax, '\\$&')
    if (!punctuation.test(term)) return { term, begins: new RegExp(`(?<![^\\s\\p{P}\\p{S}${SEPARATOR}])${word}`, 'u') }
    // A word with punctuation must begin a text between white space, or the host of an address.
    const inWord = `[^\\s${SEPARATOR}]`
    const host = term.includes('@') ? '' : `|(?<=${inWord}@)${word}(?!${inWord}*@)`
    return { term, begins: new RegExp(`(?<!${inWord})${word}${host}`) }
  })
  return (text) => patterns.every(({ term, begins }) => text.includes(term) && begins.test(text))
}

/** The words of a search term, folded, longest first, without words that another word begins with. */
export function termWords(term: string): string[] {
  const words = new Set(
    fold(term)
      .split(/\s/u)
      .filter((word) => word !== ''),
  )
  const needed = [...words].filter((word) => ![...words].some((other) => other !== word && other.startsWith(word)))
  return needed.sort((a, b) => b.length - a.length)
}
