import { describe, expect, it } from 'vitest'
import { meant, usualRole } from '../../console/data/choices.ts'
import { findLanguages, typedLanguage } from '../../console/data/languages.ts'
import { isAmong, typedValue, valuesAmong, withTyped } from '../../console/data/values.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'
import { languageName } from '../../console/texts/languageName.ts'

describe('languages are chosen by their names', () => {
  const tags = (text: string, texts = en) => findLanguages(text, texts).map(({ value }) => value)

  it('in the language of the reader, in their own, or by the tag, which comes first', () => {
    expect(tags('french')).toEqual(['fr-CA', 'fr', 'fr-BE', 'fr-CH'])
    expect(tags('Franzö', de)).toContain('fr')
    expect(tags('françai')).toContain('fr')
    expect(tags('da')[0]).toBe('da')
    expect(findLanguages('danish', en)).toEqual([{ value: 'da', text: 'Danish', note: 'da' }])
  })

  it('a rare one is offered by its tag, also without a name', () => {
    expect(findLanguages('gsw', en)).toEqual([{ value: 'gsw', text: 'Swiss German', note: 'gsw, as typed' }])
    expect(findLanguages('qxq', en).at(-1)).toEqual({ value: 'qxq', text: 'qxq', note: 'qxq, as typed' })
    expect(tags('EN-gb')).toEqual(['en-GB'])
  })

  it('what is typed and not chosen counts only as a tag that has a name', () => {
    expect(typedLanguage(' de-at ', en)?.value).toBe('de-AT')
    expect(typedLanguage('de-at', de)?.text).toBe('Österreichisches Deutsch')
    for (const text of ['', 'Frenc', 'qxq', 'd', 'de_DE', 'de-']) expect(typedLanguage(text, en), text).toBeNull()
  })
})

describe('a text that is typed and not chosen', () => {
  const options = ['Production', 'Productions', 'Twin', 'twin', 'Größe'].map((text, n) => ({ value: String(n), text }))
  it.each([
    ['Production', '0'],
    [' pRODUCTION ', '0'],
    ['Gro\u0308ße', '4'],
    ['Prod', undefined],
    ['xyzzy', undefined],
    ['Twin', undefined],
    ['', undefined],
  ])('%j means %s', (text, value) => expect(meant(options, text)?.value).toBe(value))
})

it('a tag that browsers refuse is its own name', () => {
  expect(languageName('de', de)).toBe('Deutsch')
  expect(languageName('abcd', en)).toBe('abcd')
})

describe('values that people have', () => {
  const person = (department: string, tags: string[] = [], email: string | null = null) => ({
    email,
    tags: tags.map((name) => ({ name })),
    attributes: [{ name: 'department', value: department }],
  })
  const people = [
    person('IT', ['mentor'], 'a@example.com'),
    person('Sales', ['mentor', 'driver']),
    person('Sales'),
    person('Café'),
  ] as Parameters<typeof valuesAmong>[0]

  it.each([
    ['ATTRIBUTE:department', '', ['Sales', 'Café', 'IT']],
    ['ATTRIBUTE:department', 'cafe', ['Café']],
    ['ATTRIBUTE:location', '', []],
    ['TAG', '', ['mentor', 'driver']],
    ['EMAIL_DOMAIN', '', ['example.com']],
    ['USERNAME', '', []],
  ])('%s, %s', (field, text, values) => expect(valuesAmong(people, field, text)).toEqual(values))

  it('what is typed can be chosen, and is told apart where nobody has it', () => {
    const [sales, asTyped] = [
      { value: 'Sales', text: 'Sales' },
      { value: 'Sal', text: 'Sal', note: 'as typed' },
    ]
    expect(withTyped(['Sales', 'IT'], ' IT ', false, en)).toEqual([{ value: 'IT', text: 'IT' }, sales])
    expect(withTyped(['Sales'], 'Sal', false, en)).toEqual([sales, asTyped])
    expect(withTyped(['Sales'], 'Sal', true, en)).toEqual([asTyped, sales])
    expect(['Sal', 'Sales'].map((text) => isAmong(withTyped(['Sales'], text, false, en), text))).toEqual([false, true])
    expect(withTyped(['Sales'], '  ', true, en)).toEqual([sales])
    expect(typedValue('  ')).toBeNull()
  })
})

it('the usual role is that of a member, and none if there is no such one', () => {
  const coordinator = { value: 'c', text: 'Coordinator', isMember: false }
  expect(usualRole([coordinator, { value: 'm', text: 'Member', isMember: true }])).toBe('m')
  expect(usualRole([coordinator])).toBe('')
})
