import { expect, it } from 'vitest'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'

/** All texts, those with numbers and names as they are written. The form of files speaks of columns, too. */
function allTexts(part: unknown, path = ''): [path: string, text: string][] {
  if (typeof part === 'string' || typeof part === 'function') return [[path, String(part)]]
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, one]) =>
    path === '' && name === 'files' ? [] : allTexts(one, `${path}.${name}`),
  )
}

const having = (texts: unknown, words: RegExp) => allTexts(texts).filter(([, text]) => words.test(text))

it('one thing has one word', () => {
  expect(allTexts(en).length).toBeGreaterThan(500)
  expect(having(de, /Mensch|[Ff]remde Nummer|[Ee]xterne ID|Zugangsschlüssel|Zugänge für/)).toEqual([])
  expect(having(en, /[Ss]ervice token|Foreign|staff number/)).toEqual([])
})

it('what went wrong does not make anybody lose what they have entered', () => {
  expect(having(en, /[Ll]oad the page anew|[Rr]eload/)).toEqual([])
  expect(having(de, /Laden Sie die Seite neu/)).toEqual([])
})
