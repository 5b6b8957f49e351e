import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localized } from '../../domain/request/context.ts'
import { acceptedLanguages, choiceFor } from '../../domain/request/localization.ts'
import { type Any, call } from '../harness/call.ts'
import { startService } from '../harness/service.ts'

const textsIn = (languages: readonly string[]): Localized[] =>
  languages.map((language, n) => ({ language, text: `${n}` }))

type Spoken = { default_language: string; languages: readonly string[] }
const english: Spoken = { default_language: 'en-GB', languages: ['en-GB', 'en-US', 'de', 'de-DE', 'de-CH', 'fr', 'nl'] }

describe('the language of a text', () => {
  it.each([
    // Accept-Language, languages of the texts, the one chosen
    ['de-DE', 'en-GB de-DE', 'de-DE'],
    ['DE-de', 'en-GB de-DE', 'de-DE'],
    ['de-CH-1996', 'de de-CH en-GB', 'de-CH'],
    ['de-CH', 'de de-CH', 'de-CH'],
    ['de-AT', 'en-GB de', 'de'],
    ['de', 'en-GB de-DE', 'de-DE'],
    ['de', 'de-DE de', 'de'],
    ['de, en', 'en-GB de-DE', 'de-DE'],
    ['fr, de, en', 'en-GB de-DE', 'de-DE'],
    ['de-AT', 'en-GB de-DE', 'de-DE'],
    ['de-AT, en', 'de-DE en-GB', 'en-GB'],
    ['de-AT, fr-CA', 'en-GB fr', 'fr'],
    ['de-AT, nl-BE', 'nl de-DE en-GB', 'nl'],
    ['de-AT, nl-BE', 'nl-NL de-DE en-GB', 'de-DE'],
    ['d', 'en-GB de', 'en-GB'],
    ['de-D', 'en-GB de-DE', 'de-DE'],
    ['de-x-dialect', 'en-GB de', 'de'],
    ['pl', 'fr en-GB', 'en-GB'],
    ['pl', 'fr nl', 'fr'],
    ['pl', 'nl en-US', 'en-US'],
    ['en', 'en-US en-GB', 'en-GB'],
    ['en-AU', 'en-US en-GB', 'en-GB'],
    ['*', 'fr en-GB', 'en-GB'],
    ['*, fr', 'en-GB fr', 'fr'],
    ['fr;q=0.2, de;q=0.9', 'fr de', 'de'],
    ['fr;q=0, de;q=0.001', 'fr de', 'de'],
    ['fr;q=0', 'fr en-GB', 'en-GB'],
    ['', 'fr en-GB', 'en-GB'],
    // Dropped by the organisation: Polish and Italian.
    ['pl', 'pl fr', 'fr'],
    ['pl', 'pl it', 'pl'],
    ['it', 'pl it', 'it'],
    ['it-CH', 'pl it', 'it'],
    ['ja', 'pl it', 'pl'],
  ])('for %j of %s is %s', (header, languages, expected) => {
    expect(choiceFor(acceptedLanguages(header), english)(textsIn(languages.split(' '))).language).toBe(expected)
  })

  it('is the default where there is no text at all', () => {
    expect(choiceFor(['de'], english)([])).toEqual({ language: 'en-GB', text: '' })
  })

  /** The documented rule, step by step. */
  function chosen(ranges: readonly string[], { default_language, languages }: Spoken, texts: readonly Localized[]) {
    const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
    const begins = (tag: string, range: string) => tag.toLowerCase().startsWith(`${range.toLowerCase()}-`)
    const spoken = texts.filter(({ language }) => languages.some((one) => same(one, language)))
    const isDefault = ({ language }: Localized) => same(language, default_language)
    const among = spoken.length > 0 ? spoken : texts
    const ordered = [...among.filter(isDefault), ...among.filter((text) => !isDefault(text))]
    const found = (wanted: readonly string[]): Localized | undefined => {
      for (const range of wanted) {
        for (let left = range; left !== ''; left = left.replace(/(-[^-])?-?[^-]*$/, '')) {
          const exact = ordered.find(({ language }) => same(language, left))
          if (exact) return exact
        }
        const longer = ordered.find(({ language }) => begins(language, range))
        if (longer) return longer
      }
      for (const range of wanted) {
        const [primary = ''] = range.split('-')
        const related = ordered.find(({ language }) => same(language, primary) || begins(language, primary))
        if (related) return related
      }
      return undefined
    }
    return found(ranges) ?? found([default_language]) ?? among[0]
  }

  it('is what the rule says, whatever is wanted and whatever there is', () => {
    const tag = fc.constantFrom(
      'de',
      'de-DE',
      'DE-ch',
      'de-Latn-CH',
      'en',
      'en-GB',
      'en-gb-oed',
      'fr',
      'fr-CA',
      'zh-Hant',
    )
    const range = fc.oneof(tag, fc.constantFrom('de-DE-1996', 'de-a-foo', 'de-Latn', 'zh', 'zh-Hans-CN', 'ja', 'd'))
    const different = { selector: (one: string) => one.toLowerCase() }
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 6 }),
        fc.uniqueArray(tag, { ...different, minLength: 1 }),
        fc.uniqueArray(tag, { ...different, minLength: 1 }),
        (ranges, languages, inTexts) => {
          const organisation = { default_language: languages[0] as string, languages }
          const texts = textsIn(inTexts)
          expect(choiceFor(ranges, organisation)(texts)).toEqual(chosen(ranges, organisation, texts))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('a header', () => {
  it('of hundreds of ranges is read to its end', () => {
    const ranges = Array.from({ length: 1_000 }, (_, n) => `x${n.toString(36)}-${'aa-'.repeat(n % 20)}zz`)
    const choose = choiceFor(acceptedLanguages([...ranges, 'de'].join(',')), english)
    expect(choose(textsIn(['en-GB', 'de-DE'])).language).toBe('de-DE')
  })

  it.each([
    ['nonsense;;;,,=', 'en-GB'],
    ['de;q=x, fr', 'fr'],
    ['de;q=-1, fr;q=0.1', 'fr'],
    [',,, de ,;', 'de-DE'],
    ['de;q="0.1", fr;q=0.5', 'fr'],
    ['"de", -, ;q=1, de-, -de', 'de-DE'],
    ['-', 'en-GB'],
    ['__proto__, constructor', 'en-GB'],
    ['\u0000\uFFFF ä, de', 'de-DE'],
  ])('%j leads to %s', (header, expected) => {
    expect(choiceFor(acceptedLanguages(header), english)(textsIn(['en-GB', 'fr', 'de-DE'])).language).toBe(expected)
  })

  it('of any form at all leads to a text', () => {
    const part = fc.oneof(fc.constantFrom('de', 'fr-CA', '*', ';q=', '0.5', ',', '-', '"', '\\', ' ', '='), fc.string())
    const header = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(header, (given) => {
        const texts = textsIn(['fr', 'de-DE'])
        expect(texts).toContainEqual(choiceFor(acceptedLanguages(given), english)(texts))
      }),
    )
  })
})

describe('one choice', () => {
  beforeAll(() => startService())

  it('serves what is shown, what it is sorted by, and what the answer says of its language', async () => {
    const languages = ['en-GB', 'de-DE', 'fr-FR']
    const settings = (body: object) => call('updateOrganisationSettings', { body })
    expect((await settings({ languages })).status).toBe(200)
    const titles: [string, string, string][] = [
      ['Apple', 'Zebra', 'Milieu'],
      ['Middle', 'Anfang', 'Zenith'],
      ['Zoo', 'Mitte', 'Arbre'],
    ]
    const made = {
      createRole: { scope: 'CHANNELS', permissions: [] },
      createGroup: { parent_id: 'root' },
      createChannel: {},
    }
    for (const [name, more] of Object.entries(made))
      for (const [n, texts] of titles.entries()) {
        const title = texts.map((text, at) => ({ language: languages[at], text }))
        expect((await call(name, { body: { id: `t-${n}`, title, ...more } })).status).toBe(201)
      }
    const shown = async (header: string) => {
      const headers = { 'accept-language': header }
      const replies = await Promise.all([
        call('listRoles', { query: 'type=CUSTOM', headers }),
        call('listGroups', { query: 'parent_id=root&search_term=Milieu', headers }),
        call('listGroups', { query: 'parent_id=root&page_limit=100', headers }),
        call('listChannels', { headers }),
        call('listAssignableChannelRoles', { path: { channel_id: 't-0' }, query: 'embed=ROLE', headers }),
      ])
      return replies.map(({ body, headers }) => {
        const records: Any[] =
          body.roles ?? body.groups ?? body.channels ?? body.assignable_roles.map(({ role }: Any) => role)
        const ours = records.filter(({ id }) => /^t-/.test(id))
        return `${headers['content-language']}: ${ours.map(({ title }) => title.text).join(' ')}`
      })
    }
    const all = (language: string, texts: string, found: string) =>
      [texts, found, texts, texts, texts].map((text) => expect.stringMatching(`^${language}.*: ${text}$`))
    expect(await shown('de')).toEqual(all('de-DE', 'Anfang Mitte Zebra', 'Zebra'))
    expect(await shown('de-AT')).toEqual(all('de-DE', 'Anfang Mitte Zebra', 'Zebra'))
    expect(await shown('nl, fr;q=0.5')).toEqual(all('fr-FR', 'Arbre Milieu Zenith', 'Milieu'))
    expect(await shown('nl')).toEqual(all('en-GB', 'Apple Middle Zoo', 'Apple'))
    expect((await settings({ languages: ['en-GB', 'de-DE'] })).status).toBe(200)
    expect(await shown('fr')).toEqual(all('en-GB', 'Apple Middle Zoo', 'Apple'))
  })
})
