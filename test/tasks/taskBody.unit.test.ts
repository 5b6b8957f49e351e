import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanHtml } from '../../domain/tasks/cleanBody.ts'
import { type BodyInput, bodyFrom, patchedBody, type TaskBody } from '../../domain/tasks/taskBody.ts'
import { faultLines } from '../harness/refusal.ts'

const stored = (input: BodyInput | null) => bodyFrom(input).body
const faults = (input: BodyInput) => faultLines(bodyFrom(input).faults)
const properties = (input: BodyInput) => bodyFrom(input).faults.map(({ property }) => property)

describe('plain text is worked out', () => {
  it.each([
    [
      '<h1>Drill</h1><p>At <b>ten</b>&nbsp;o&#39;clock &amp; not&#x20;later</p><p>Go<br>out</p>',
      "Drill\nAt ten\u00A0o'clock & not later\nGo\nout",
    ],
    ['<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>', 'one\ntwo'],
    ['<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
    ['<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>', '1 2\n3'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<p>&lt;b&gt; &amp;lt; &#0; &#xD800; &unknown;</p>', '<b> &lt;   &unknown;'],
  ])('from HTML: %s', (html, plain) => expect(stored({ html })).toEqual({ html: cleanHtml(html), plain }))

  it('from a delta', () => {
    const delta = JSON.stringify({
      ops: [{ insert: 'Hi ' }, { insert: { image: 'https://e.org/x.png' } }, { insert: 'all\n', attributes: {} }],
    })
    expect(stored({ delta })).toEqual({ delta, plain: 'Hi all\n' })
    expect(stored({ content_format: 'DELTA', contentDelta: delta })).toEqual({ delta, plain: 'Hi all\n' })
  })

  it('from a delta with what images say, and formulas', () => {
    const delta = JSON.stringify({
      ops: [
        { insert: { image: 'https://e.org/x.png' }, attributes: { alt: 'A plan' } },
        { insert: { image: 'data:image/png;base64,x' }, attributes: { alt: 'gone' } },
        { insert: { formula: 'e=mc^2' } },
        { insert: '\n' },
      ],
    })
    expect(stored({ delta }).plain).toBe('A plane=mc^2\n')
  })

  it('not where it is given', () => {
    expect(stored({ plain: 'a', html: '<p>b</p>' })).toEqual({ plain: 'a', html: '<p>b</p>' })
    expect(stored({ plain: '', html: '<p>b</p>' })).toEqual({ plain: '', html: '<p>b</p>' })
    expect(stored({ plain: null })).toEqual({})
    expect(stored(null)).toEqual({})
  })
})

describe('a body that was read can be sent back:', () => {
  // What no text may hold, as JSON within JSON may write it.
  it.each(['\\ud800', '\\udc00', '\\ufffd', '\\uFFFD'])('a delta with %s', (written) => {
    for (const link of ['', 'javascript:x']) {
      const delta = `{"ops":[{"insert":"a${written}b","attributes":{"link":${JSON.stringify(link || null)}}}]}`
      const body = stored({ delta })
      expect(body.plain).toBe('ab')
      for (const form of Object.values(body)) expect(form).toMatch(/^[^\ufffd\ud800-\udfff]*$/u)
      expect(stored(body)).toEqual(body)
    }
  })
})

describe('a delta is cleaned:', () => {
  const deltaOf = (...ops: unknown[]) => JSON.stringify({ ops, extra: 1 })
  const cleaned = (...ops: unknown[]) => JSON.parse(stored({ delta: deltaOf(...ops) }).delta as string).ops

  it.each(['https://e.org', 'HTTP://e.org', 'mailto:a@e.org', 'tel:+49123', null])('a link to %j stays', (link) => {
    const delta = ` { "extra":1e1, "ops": [{"insert":"x","attributes":{"bold":true,"link":${JSON.stringify(link)}}}] }`
    expect(stored({ delta })).toEqual({ delta, plain: 'x' })
  })

  it.each(['javascript:alert(1)', ' javascript:x', 'data:text/html,x', '//e.org', 'x', '', ['javascript:x'], {}, 1])(
    'a link to %j goes',
    (link) => {
      const op = { insert: 'x', attributes: { link, bold: true } }
      expect(cleaned({ insert: 'a' }, op)).toEqual([{ insert: 'a' }, { insert: 'x', attributes: { bold: true } }])
    },
  )

  it.each(['image', 'video'])('an %s stays where it is on the web', (name) => {
    const web = { insert: { [name]: 'https://e.org/x' } }
    expect(cleaned(web)).toEqual([web])
    for (const from of [
      'javascript:x',
      'data:image/png;base64,x',
      'http://e.org/x',
      'tel:1',
      'x',
      ['data:x'],
      { src: 'x' },
    ])
      expect(cleaned({ insert: 'a' }, { insert: { [name]: from } }, web)).toEqual([{ insert: 'a' }, web])
  })

  it('what else is in it stays', () => {
    const others = [
      { insert: { mention: { id: 'x' } } },
      { insert: ['x'], attributes: 'x' },
      { insert: 'b', more: [1] },
    ]
    expect(cleaned({ insert: 'a', attributes: { link: 'x' }, more: 1 }, ...others)).toEqual([
      { insert: 'a', attributes: {}, more: 1 },
      ...others,
    ])
  })
})

describe('a body that was read', () => {
  const long = fc.tuple(
    fc.constantFrom('a', '<', '>', '&', 'ß', '<p>', '<br>', '<td>', '&lt;', '<a href="https://&&&">', '"', '\\'),
    fc.nat({ max: 30_000 }),
  )
  const text = fc.array(long, { maxLength: 3 }).map((parts) => parts.map(([part, n]) => part.repeat(n)).join(''))
  const value = fc.oneof(fc.webUrl(), fc.constantFrom('data:x', 'javascript:x', null), fc.jsonValue())
  const op = fc.record(
    {
      insert: fc.oneof(text, fc.record({ image: value }), fc.record({ video: value }), fc.record({ formula: value })),
      attributes: fc.record({ link: value, bold: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['insert'] },
  )
  const delta = fc.array(op, { maxLength: 4 }).map((ops) => JSON.stringify({ ops }))
  const given = fc.record({ plain: text, html: text, delta }, { requiredKeys: [] })

  it('can be sent back, all of it or a form of it, and stays as it is', () => {
    let taken = 0
    fc.assert(
      fc.property(given, (body) => {
        const { body: read, faults } = bodyFrom(body)
        if (faults.length > 0) return
        taken++
        expect(bodyFrom(read)).toEqual({ body: read, faults: [] })
        for (const [name, form] of Object.entries(read)) {
          expect(form.length).toBeLessThanOrEqual(50_000)
          expect(bodyFrom({ [name]: form }).faults).toEqual([])
        }
      }),
      { numRuns: 200 },
    )
    expect(taken).toBeGreaterThan(20)
  })
})

describe('a body is patched', () => {
  const delta = '{"ops":[{"insert":"d"}]}'
  const both = { plain: 'h', html: '<p>h</p>' }
  it.each<[string, TaskBody, BodyInput | null, TaskBody]>([
    ['a form with others', both, { delta }, { ...both, delta }],
    ['a form that worked-out text follows', both, { html: '<p>i</p>' }, { plain: 'i', html: '<p>i</p>' }],
    ['the same, sent back with the text', both, { plain: 'h', html: '<p>i</p>' }, { plain: 'i', html: '<p>i</p>' }],
    ['a form that given text does not follow', { ...both, plain: 'x' }, { html: 'i' }, { plain: 'x', html: 'i' }],
    ['a form goes, its text stays', both, { html: null }, { plain: 'h' }],
    ['a form goes, the text is that of the other', { ...both, delta }, { html: null }, { plain: 'd', delta }],
    ['text that would be worked out again', both, { plain: null }, both],
    ['text alone', { plain: 'x' }, { plain: null }, {}],
    ['text by hand', both, { plain: 'by hand' }, { ...both, plain: 'by hand' }],
    ['nothing', both, {}, both],
    ['nothing to nothing', {}, { html: null }, {}],
    ['all', both, null, {}],
    ['all, in the other way of writing', both, { content_format: 'DELTA', contentDelta: delta }, { plain: 'd', delta }],
  ])('%s', (_what, body, patch, after) =>
    expect(patchedBody(body, patch, bodyFrom(patch).body)).toEqual({ body: after, faults: [] }),
  )

  it('never beyond 50,000 characters', () => {
    const patch = { delta: JSON.stringify({ ops: [{ insert: 'x'.repeat(30_000) }] }) }
    const { faults } = patchedBody({ html: 'y'.repeat(30_000) }, patch, bodyFrom(patch).body)
    expect(faults.map(({ property }) => property)).toEqual(['body'])
    expect(faults[0]?.message).toMatch(/: delta has 3\d{4}; html has 30000$/)
  })
})

describe('a body is refused', () => {
  it.each([
    '',
    'x',
    '1',
    'null',
    '[]',
    '{}',
    '{"ops":{}}',
    '{"ops":[{}]}',
    '{"ops":[null]}',
    '{"ops":[{"retain":1}]}',
    '{"ops":[{"insert":1}]}',
  ])('with the delta %j', (delta) => {
    const noDelta = 'must be a Quill delta as JSON'
    expect(faults({ delta })).toEqual([`body.delta ${noDelta}`])
    expect(faults({ content_format: 'DELTA', contentDelta: delta })).toEqual([`body.contentDelta ${noDelta}`])
  })

  it('written in two ways at once', () => {
    const twoWays = 'must not be given together with the other way of writing a body'
    expect(faults({ plain: 'a', content_format: 'PLAIN', contentPlain: 'a' })).toEqual([`body.plain ${twoWays}`])
    expect(faults({ contentPlain: 'a' })).toEqual([`body.contentPlain ${twoWays}`])
    const missing = 'body.contentHtml must be given, as content_format names it'
    expect(faults({ content_format: 'HTML', contentPlain: 'a' })).toEqual([missing])
    expect(properties({ content_format: 'HTML', contentPlain: 'a', contentHtml: 'a' })).toEqual([])
  })

  it('beyond 50,000 characters', () => {
    expect(properties({ plain: 'a'.repeat(50_000) })).toEqual([])
    expect(properties({ plain: 'a'.repeat(50_001) })).toEqual(['body'])
    expect(properties({ plain: 'a'.repeat(25_000), html: 'b'.repeat(25_001) })).toEqual(['body'])
    // What was worked out can be sent back.
    expect(properties({ plain: 'a'.repeat(40_000), html: 'a'.repeat(40_000) })).toEqual([])
  })

  it('counting characters, whatever they take', () => {
    expect(properties({ plain: '😀'.repeat(50_000) })).toEqual([])
    expect(properties({ plain: '😀'.repeat(50_001) })).toEqual(['body'])
    expect(properties({ plain: '😀'.repeat(25_000), html: 'é'.repeat(25_000) })).toEqual([])
    expect(properties({ html: `${'😀'.repeat(49_993)}<p></p>` })).toEqual([])
  })

  it.each<[string, BodyInput, string]>([
    ['what was sent', { plain: 'a'.repeat(50_001) }, 'plain has 50001'],
    ['several forms', { plain: 'a'.repeat(25_000), html: 'b'.repeat(25_001) }, 'plain has 25000; html has 25001'],
    ['what grew', { html: `${'>'.repeat(12_501)}` }, 'html has 50004 as it is stored, 12501 as it was sent'],
    [
      'what is not derived, too',
      { plain: 'b'.repeat(10), content_format: null, html: '<'.repeat(12_499) },
      'plain has 10; html has 49996 as it is stored, 12499 as it was sent',
    ],
  ])('saying which text is too long: %s', (_what, given, extent) =>
    expect(bodyFrom(given).faults).toEqual([
      { property: 'body', message: `must have at most 50000 characters in all its forms: ${extent}` },
    ]),
  )

  it('beyond 50,000 characters as it would be stored', () => {
    expect(properties({ html: '>'.repeat(12_500) })).toEqual([])
    expect(properties({ html: '>'.repeat(12_501) })).toEqual(['body'])
    const script = (length: number) => `<script>${'a'.repeat(length)}</script>`
    expect(properties({ html: script(40_000), plain: 'b'.repeat(50_000) })).toEqual([])
    // A text of this length is not even cleaned.
    expect(bodyFrom({ html: script(50_000) }).body).toEqual({})
    expect(properties({ html: script(50_000) })).toEqual(['body'])
  })

  it('with a delta that is nested too deep', () => {
    const nested = (levels: number) =>
      `{"ops":[{"insert":"x","attributes":{"link":"data:x","a":${'['.repeat(levels)}${']'.repeat(levels)}}}]}`
    expect(properties({ delta: nested(26) })).toEqual([])
    for (const levels of [27, 10_000]) expect(properties({ delta: nested(levels) })).toEqual(['body.delta'])
  })
})
