import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import parser from 'xss/lib/parser.js'
import { cleanHtml, textOf } from '../../domain/tasks/cleanHtml.ts'
import { bodyFrom, type GivenBody, patchedBody, type TaskBody } from '../../domain/tasks/taskBody.ts'

const stored = (given: GivenBody | null) => bodyFrom(given).body
const properties = (given: GivenBody) => bodyFrom(given).faults.map(({ property }) => property)

describe('HTML is cleaned:', () => {
  it.each([
    ['what an editor makes', '<p>Hi <strong>all</strong><br>and <em>you</em></p>'],
    ['links', '<a href="https://example.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">x</a>'],
    ['mail', '<a href="mailto:a@example.org">x</a>'],
    ['tables', '<table><tbody><tr><td colspan="2">1</td></tr></tbody></table>'],
    ['entities', 'a &lt; b &amp; c &amp;lt; &nbsp; &#8364;'],
  ])('%s stay as they are', (_what, html) => expect(cleanHtml(html)).toBe(html))

  it.each([
    ['<script>alert(1)</script>x', 'x'],
    ['<SCRIPT SRC=//evil.example></SCRIPT >x', 'x'],
    ['<script>if (a<b) { c("</p>") }</script><p>x</p>', '<p>x</p>'],
    ['<script>never closed <p>x</p>', ''],
    ['<style>p { color: red }</style><p style="x">x</p>', '<p>x</p>'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', '&lt;script&gt;'],
    ['<<script>alert(1)//<</script>', '&lt;'],
    ['<scr<!-- -->ipt>alert(1)</script>x', 'x'],
    ['a<!-- <img src=x onerror=alert(1)> -->b', 'ab'],
    ['a<!-- never closed <p>', 'a'],
    ['<img src=x onerror=alert(1)>x', 'x'],
    ['<svg onload=alert(1)><script>alert(2)</script></svg>x', 'x'],
    [
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      '<table></table>',
    ],
    ['<p onclick="alert(1)" ONMOUSEOVER=alert(1)>x</p>', '<p>x</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\u0000script:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java&#x0A;script:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript&colon;alert(1)">x</a>', '<a>x</a>'],
    ['<a href="javascript&amp;colon;alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,<script>alert(1)</script>">x</a>', '<a>x</a>'],
    ['<a href="//evil.example">x</a>', '<a>x</a>'],
    ['<a href="vbscript:x" href="https://example.org">x</a>', '<a>x</a>'],
    [
      '<a href=https://example.org/"onclick="alert(1)>x</a>',
      '&lt;a href=https://example.org/"onclick="alert(1)&gt;x&lt;/a&gt;',
    ],
    ["<a href='https://e.org/\"><script>'>x</a>", '<a href="https://e.org/&quot;&gt;&lt;script&gt;">x</a>'],
    ['<a href="https://e.org/&quot;onclick=&quot;x">x</a>', '<a href="https://e.org/&quot;onclick=&quot;x">x</a>'],
    ['<a target="_blank x" rel="&quot;">x</a>', '<a>x</a>'],
    ['<a target=_blank>x</a>', '<a target="_blank" rel="noopener">x</a>'],
    ['<a rel="opener" target="_top">x</a>', '<a target="_top" rel="noopener">x</a>'],
    ['<a target="_blank" rel="Opener NOFOLLOW me nofollow">x</a>', '<a target="_blank" rel="nofollow noopener">x</a>'],
    ['<a rel="opener">x</a><a rel="noreferrer">y</a>', '<a>x</a><a rel="noreferrer">y</a>'],
    [`<a ${' '.repeat(3_000)} href = "https://e.org"\n>x</a>`, '<a href="https://e.org">x</a>'],
    [`<a href="https://e.org/${'x'.repeat(1_000)}">x</a>`, '<a>x</a>'],
    // Written anew it would be too long the next time.
    [`<a href="https://e.org/${'&'.repeat(900)}">x</a>`, '<a>x</a>'],
    [`<a href="https://e.org/${'&#32;x'.repeat(100)}">x</a>`, '<a>x</a>'],
    ['<a href="https://e.org', '&lt;a href="https://e.org'],
    ['<b onclick=alert(1)', '&lt;b onclick=alert(1)'],
    ['<p title="x>y</p>', '&lt;p title="x&gt;y&lt;/p&gt;'],
    ['<iframe src="https://e.org"></iframe><object data=x></object><embed src=x>x', 'x'],
    ['<form action=x><input name=y autofocus onfocus=alert(1)></form>x', 'x'],
    ['<p\u0000>x</\u0000p>', '<p>x</p>'],
    ['<br/><hr></br>', '<br>'],
    ['<div><font color=red>x</font></div>', 'x'],
    ['1 < 2 and 3 > 2', '1 &lt; 2 and 3 &gt; 2'],
    ['<constructor>x<__proto__>y', 'x&lt;__proto__&gt;y'],
    ['</p>a</b></table>', 'a'],
    ['<p>a<b>b<i>c', '<p>a<b>b<i>c</i></b></p>'],
    ['<b><i>a</b>b</i>c', '<b><i>a</i></b>bc'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['<p>a<h1>b</h1></p>c', '<p>a</p><h1>b</h1>c'],
    ['<p>a<b>b<p>c</b></p>', '<p>a<b>b</b></p><p>c</p>'],
    ['<ul><li>a<li>b<ul><li>c<li>d</ul>e</ul>f', '<ul><li>a</li><li>b<ul><li>c</li><li>d</li></ul>e</li></ul>f'],
    [
      '<table><tr><td>a<td>b<table><tr><td>c</table>d<tr><th>e<tbody><tr><td>f</table>',
      '<table><tr><td>a</td><td>b<table><tr><td>c</td></tr></table>d</td></tr><tr><th>e</th></tr><tbody><tr><td>f</td></tr></tbody></table>',
    ],
    ['<b><table><tr><td></b>a</td></table>b', '<b><table><tr><td>a</td></tr></table>b</b>'],
    ['<blockquote><p>a</blockquote>b', '<blockquote><p>a</p></blockquote>b'],
    [`${'<b>'.repeat(102)}x${'</b>'.repeat(102)}<i>y`, `${'<b>'.repeat(100)}x${'</b>'.repeat(100)}<i>y</i>`],
    ['<!DOCTYPE html><?xml version="1.0"?>x', 'x'],
  ])('%s', (html, clean) => expect(cleanHtml(html)).toBe(clean))

  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '=',
      '&',
      '/',
      '<!--',
      '-->',
      '<p',
      '<a href=',
      'https://x',
      'javascript:',
      '<script',
      '</script',
    ],
    ...[
      '</p>',
      '<br',
      'style',
      ' ',
      '\n',
      '\u0000',
      '&amp;',
      '&lt;',
      '&#60;',
      '&quot',
      '<svg>',
      'on',
      '\ud83d',
      '\ude00',
      '<title>',
      'ß',
    ],
    ...['target="_blank"', 'colspan=2', '<td ', 'onclick=x', '<pre>', '</pre>', '<b>', '</b>', '<ul>', '</ul>', '<li>'],
    ...['<p>', '<table>', '</table>', '<tr>', '<td>', '</td>', '<th>', '<tbody>', '<blockquote>', '</blockquote>'],
  )
  const soup = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 40 }).map((parts) => parts.join(''))

  /** Tags that are not closed where they should be. */
  function openAtEnd(html: string): string[] {
    const open: string[] = []
    for (const [, closes, name = ''] of html.matchAll(/<(\/?)([a-z1-6]+)[^>]*>/g)) {
      if (closes && open.at(-1) === name) open.pop()
      else if (name !== 'br') open.push(`${closes}${name}`)
    }
    return open
  }

  it('once is enough, and nothing is left but allowed tags', () => {
    const tag = /^<(\/?[a-z1-6]+)( (href|target|rel|colspan|rowspan)="[^"<>]*")*>/
    fc.assert(
      fc.property(soup, (html) => {
        const clean = cleanHtml(html)
        expect(cleanHtml(clean)).toBe(clean)
        for (const part of clean.split(/(?=<)/).filter((one) => one.startsWith('<'))) {
          expect(part).toMatch(tag)
          expect(part.replace(tag, '')).not.toContain('>')
        }
        expect(openAtEnd(clean)).toEqual([])
        expect(clean).not.toMatch(/<[^>]*(javascript:|on\w+=")/i)
      }),
      { numRuns: 3000 },
    )
  })

  it.each(['<', '<a ', '<a x ', '<!--', '<script', '&', '" = ', `<p ${'a '.repeat(40)}`, ' '])(
    'in little time, whatever there is a lot of: %j',
    (part) => {
      const began = performance.now()
      const html = part.repeat(50_000 / part.length)
      textOf(cleanHtml(html))
      textOf(cleanHtml(`<a ${html}>`))
      textOf(cleanHtml(`<pre>${html}</pre>`))
      expect(performance.now() - began).toBeLessThan(1_000)
    },
  )

  it.each([
    ['twelve long ones', `<a a=${' '.repeat(3_900)}>`.repeat(12)],
    ...['a= ', 'a ', '= ', '" ', 'a=b '].flatMap((part) =>
      [100, 980].map((length): [string, string] => [
        `${length} characters of ${JSON.stringify(part)}`,
        `<a ${part.repeat(length / part.length)}>`.repeat(50_000 / length),
      ]),
    ),
  ])('in little time, whatever stands in tags: %s', (_what, html) => {
    const parseAttr = vi.spyOn(parser, 'parseAttr')
    cleanHtml(html)
    // The library looks at all of an attribute list again at each white space in it.
    const looks = parseAttr.mock.calls.reduce((sum, [text]) => sum + text.length * text.split(/\s/).length, 0)
    parseAttr.mockRestore()
    expect(looks).toBeLessThan(50_000 * 50)
  })

  it('looking for attributes only where there may be some', () => {
    const parseAttr = vi.spyOn(parser, 'parseAttr')
    cleanHtml('<p class=x><b a=b></b><img src=x></p x=y><a href="https://e.org">x</a href=y>')
    expect(parseAttr.mock.calls.map(([text]) => text)).toEqual([' href="https://e.org"'])
    parseAttr.mockRestore()
  })
})

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

  it('not where it is given', () => {
    expect(stored({ plain: 'a', html: '<p>b</p>' })).toEqual({ plain: 'a', html: '<p>b</p>' })
    expect(stored({ plain: '', html: '<p>b</p>' })).toEqual({ plain: '', html: '<p>b</p>' })
    expect(stored({ plain: null })).toEqual({})
    expect(stored(null)).toEqual({})
  })
})

describe('a delta is cleaned:', () => {
  const deltaOf = (...ops: unknown[]) => JSON.stringify({ ops, extra: 1 })
  const cleaned = (...ops: unknown[]) => JSON.parse(stored({ delta: deltaOf(...ops) }).delta as string).ops

  it.each(['https://e.org', 'HTTP://e.org', 'mailto:a@e.org', null])('a link to %j stays', (link) => {
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
    for (const from of ['javascript:x', 'data:image/png;base64,x', 'mailto:x', 'x', ['data:x'], { src: 'x' }])
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
  it.each<[string, TaskBody, GivenBody | null, TaskBody]>([
    ['a form beside others', both, { delta }, { ...both, delta }],
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
    expect(properties({ delta })).toEqual(['body.delta'])
    expect(properties({ content_format: 'DELTA', contentDelta: delta })).toEqual(['body.contentDelta'])
  })

  it('written in two ways at once', () => {
    expect(properties({ plain: 'a', content_format: 'PLAIN', contentPlain: 'a' })).toEqual(['body.plain'])
    expect(properties({ contentPlain: 'a' })).toEqual(['body.contentPlain'])
    expect(properties({ content_format: 'HTML', contentPlain: 'a' })).toEqual(['body.contentHtml'])
    expect(properties({ content_format: 'HTML', contentPlain: 'a', contentHtml: 'a' })).toEqual([])
  })

  it('beyond 50,000 characters', () => {
    expect(properties({ plain: 'a'.repeat(50_000) })).toEqual([])
    expect(properties({ plain: 'a'.repeat(50_001) })).toEqual(['body'])
    expect(properties({ plain: 'a'.repeat(25_000), html: 'b'.repeat(25_001) })).toEqual(['body'])
    // What was worked out can be sent back.
    expect(properties({ plain: 'a'.repeat(40_000), html: 'a'.repeat(40_000) })).toEqual([])
  })

  it('beyond 50,000 characters as it would be stored', () => {
    expect(properties({ html: '>'.repeat(12_500) })).toEqual([])
    expect(properties({ html: '>'.repeat(12_501) })).toEqual(['body'])
    expect(properties({ html: `<script>${'a'.repeat(40_000)}</script>`, plain: 'b'.repeat(50_000) })).toEqual([])
  })

  it('with a delta that is nested too deep', () => {
    const nested = (levels: number) =>
      `{"ops":[{"insert":"x","attributes":{"link":"data:x","a":${'['.repeat(levels)}${']'.repeat(levels)}}}]}`
    expect(properties({ delta: nested(26) })).toEqual([])
    for (const levels of [27, 10_000]) expect(properties({ delta: nested(levels) })).toEqual(['body.delta'])
  })
})
