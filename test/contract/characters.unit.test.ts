import { describe, expect, it } from 'vitest'
import * as judges from '../../schemas/compiled/directory.js'
import { unseen as invisibles } from '../../schemas/patterns.ts'
import type { Any } from '../harness/call.ts'

// What the compiled validators say of single texts; the same schemas judge requests.

const faultsOf = (judge: Any, record: object): string[] => {
  judge(record)
  return (judge.errors ?? []).map(({ instancePath, keyword }: Any) => `${instancePath.slice(1)} ${keyword}`)
}
const person = { first_name: 'Ann', last_name: 'Lee', username: 'ann' }
const ofUser = (parts: object) => faultsOf(judges.users, { ...person, ...parts })
const titled = (text: string) => [{ language: 'en-GB', text }]
const role = { id: 'a', scope: 'CHANNELS', type: 'CUSTOM', permissions: [] }
const task = { id: 'a', author_id: 'a', body: {} }

const unseen: [string, string][] = [
  ['space', ' '],
  ['no-break space', '\u00a0'],
  ['ideographic space', '\u3000'],
  ['line separator', '\u2028'],
  ['soft hyphen', '\u00ad'],
  ['combining grapheme joiner', '\u034f'],
  ['Hangul choseong filler', '\u115f'],
  ['Hangul filler', '\u3164'],
  ['halfwidth Hangul filler', '\uffa0'],
  ['Khmer inherent vowel', '\u17b4'],
  ['Mongolian vowel separator', '\u180e'],
  ['zero width space', '\u200b'],
  ['zero width non-joiner', '\u200c'],
  ['zero width joiner', '\u200d'],
  ['word joiner', '\u2060'],
  ['invisible times', '\u2062'],
  ['Braille blank', '\u2800'],
  ['variation selector', '\ufe0f'],
  ['byte order mark', '\ufeff'],
  ['annotation anchor', '\ufff9'],
  ['musical null notehead', '\u{1d159}'],
  ['musical begin beam', '\u{1d173}'],
  ['language tag', '\u{e0001}'],
  ['tag letters', '\u{e0061}\u{e007f}'],
  ['variation selector supplement', '\u{e0100}'],
  ['several of them', ' \u200b\u00ad\u{e0020}\u3164 '],
]
const directions = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'].concat([
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
])

describe('a text without a visible character is not a name', () => {
  it.each([...unseen, ...directions.map((one): [string, string] => [one.codePointAt(0)?.toString(16) ?? '', one])])(
    '%s',
    (_name, text) => {
      for (const field of ['first_name', 'last_name', 'username'])
        expect(ofUser({ [field]: text })).toContain(`${field} format`)
      expect(faultsOf(judges.roles, { ...role, title: titled(text) })).toEqual(['title/0/text format'])
      expect(faultsOf(judges.tasks, { ...task, title: text })).toEqual(['title format'])
      // Beside what can be seen it may stand: joiners and selectors make letters and emoji what they are.
      const around = `${text}Ann${text}`
      expect(ofUser({ first_name: around, last_name: around })).toEqual([])
      expect(faultsOf(judges.roles, { ...role, title: titled(around) })).toEqual([])
    },
  )

  it.each([
    'a',
    '0',
    '.',
    'ا',
    '字',
    'ㅤ가',
    '👩‍👩‍👧',
    '❤️',
    '🏴\u{e0067}\u{e007f}',
    '\u0301',
    'می‌خواهم',
    '\ue000',
    '\u0600',
  ])('%s is one', (text) => {
    // In a username nothing may be invisible, also beside what can be seen.
    const faults = new RegExp(`[${invisibles}]`, 'u').test(text) ? ['username pattern'] : []
    expect(ofUser({ first_name: text, last_name: text, username: text })).toEqual(faults)
  })

  it.each(['\u200b', '\u200d', '\u2060', '\u00ad', '\u3000', '\u00a0', '\ufe0f', '\u{e0061}'])(
    'a username cannot look like another one by %j',
    (invisible) => {
      for (const username of [`ad${invisible}min`, `${invisible}admin`, `admin${invisible}x`])
        expect(ofUser({ username })).toEqual(['username pattern'])
      expect(ofUser({ username: 'ad min' })).toEqual([])
    },
  )

  it('the empty text has one fault only', () => {
    expect(ofUser({ first_name: '', username: '' })).toEqual(['first_name minLength', 'username minLength'])
  })
})

it.each(directions)('%j does not change the direction of a username, and is allowed in names', (one) => {
  expect(ofUser({ username: `ann${one}eel`, first_name: `א${one}` })).toEqual(['username pattern'])
})

describe('e-mail addresses', () => {
  it.each([
    'a@b.c',
    'ann.lee+news@example.co.uk',
    "o'neil_x-1@sub-domain.example.com",
    '用户@例子.广告',
    'ಬೆಂಬಲ@ಡೇಟಾಮೇಲ್.ಭಾರತ',
    'अजय@डाटा.भारत',
    'квіточка@пошта.укр',
    'χρήστης@παράδειγμα.ελ',
    'Dörte@Sörensen.example.com',
    'zoë@xn--ukasz-g0a.pl',
    'مثال@نامه‌ای.com',
    '😀@example.com',
    `${'x'.repeat(64)}@example.com`,
    `${'😀'.repeat(64)}@例子.广告`,
    `a@${'b'.repeat(249)}.com`,
  ])('%s is one', (email) => expect(ofUser({ email })).toEqual([]))

  it.each([
    'ann.lee',
    'ab@c.',
    'a@.bc',
    'a@bcd',
    '@b.com',
    'ann lee@b.com',
    'ann\u3000lee@b.com',
    'a..b@c.com',
    '.a@b.com',
    'a.@b.com',
    'a@b@c.com',
    'a@-b.com',
    'a@b-.com',
    'a@b_c.com',
    'a@b,c.com',
    'Ann <a@b.com>',
    '"a b"@c.com',
    'a@b.com\n',
    'a\u0000b@c.com',
    'a\u200bb@c.com',
    'a\u202eb@c.com',
    'a\u3164@c.com',
    'a@b\u200b.com',
    'a@例\u00ad子.广告',
    'a\ud800@b.com',
    `${'x'.repeat(65)}@example.com`,
    `${'😀'.repeat(65)}@example.com`,
  ])('%j is not an e-mail address', (email) => expect(ofUser({ email })).toEqual(['email format']))

  it.each([
    ['4 characters', 'a@bc', ['minLength', 'format']],
    ['256 characters', `a@${'字'.repeat(250)}.com`, ['maxLength']],
    ['255 characters', `a@${'字'.repeat(249)}.com`, []],
  ])('%s', (_name, email, keywords) => expect(ofUser({ email })).toEqual(keywords.map((keyword) => `email ${keyword}`)))

  it.each([`${'a'.repeat(500_000)}`, `a@${'a-'.repeat(250_000)}`, `a@${'a.'.repeat(250_000)}!`, 'a.'.repeat(250_000)])(
    'a long text is refused at once',
    (email) => expect(ofUser({ email })).toEqual(['email maxLength', 'email format']),
  )
})
