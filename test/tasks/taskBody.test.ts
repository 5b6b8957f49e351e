import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanHtml, textOf } from '../../domain/tasks/cleanHtml.ts'
import { bodyFaults, bodyFrom } from '../../domain/tasks/taskBody.ts'

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
      '<table>',
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
    ...['target="_blank"', 'colspan=2', '<td ', 'onclick=x', '<pre>', '</pre>'],
  )
  const soup = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 40 }).map((parts) => parts.join(''))

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
  ])('from HTML: %s', (html, plain) => expect(bodyFrom({ html })).toEqual({ html: cleanHtml(html), plain }))

  it('from a delta', () => {
    const delta = JSON.stringify({
      ops: [{ insert: 'Hi ' }, { insert: { image: 'x' } }, { insert: 'all\n', attributes: {} }],
    })
    expect(bodyFrom({ delta })).toEqual({ delta, plain: 'Hi all\n' })
    expect(bodyFrom({ content_format: 'DELTA', contentDelta: delta })).toEqual({ delta, plain: 'Hi all\n' })
  })

  it('not where it is given', () => {
    expect(bodyFrom({ plain: 'a', html: '<p>b</p>' })).toEqual({ plain: 'a', html: '<p>b</p>' })
    expect(bodyFrom({ plain: '', html: '<p>b</p>' })).toEqual({ plain: '', html: '<p>b</p>' })
    expect(bodyFrom({ plain: null })).toEqual({})
    expect(bodyFrom(null)).toEqual({})
  })
})

describe('a body is refused', () => {
  const properties = (body: Parameters<typeof bodyFaults>[0]) => bodyFaults(body).map(({ property }) => property)

  it.each(['', 'x', '1', 'null', '[]', '{}', '{"ops":{}}', '{"ops":[{}]}', '{"ops":[null]}', '{"ops":[{"retain":1}]}'])(
    'with the delta %j',
    (delta) => {
      expect(properties({ delta })).toEqual(['body.delta'])
      expect(properties({ content_format: 'DELTA', contentDelta: delta })).toEqual(['body.contentDelta'])
    },
  )

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
})
