import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanHtml, textOf } from '../../domain/tasks/cleanBody.ts'

/** What Quill 2 shows in its editor, and what it hands out as semantic HTML, piece by piece. */
const quill: [what: string, html: string, text: string][] = [
  ['headers', '<h1>A</h1><h2 class="ql-align-center">B</h2>', 'A\nB'],
  [
    'characters',
    '<p><strong class="ql-size-large">b</strong><em class="ql-font-serif">i</em><s>s</s><u>u</u><sub>2</sub><sup>3</sup><code>code  x</code></p>',
    'bisu23code x',
  ],
  [
    'sizes, fonts, colours by class',
    '<p><span class="ql-size-small">a</span><span class="ql-size-huge ql-font-monospace">b</span><span class="ql-color-red ql-bg-yellow">c</span></p>',
    'abc',
  ],
  [
    'links',
    '<p><a href="https://e.org/?a=1&amp;b=2" rel="noopener noreferrer" target="_blank">web</a> <a href="tel:+49123" rel="noopener noreferrer" target="_blank">call</a> <a href="mailto:a@e.org" rel="noopener noreferrer" target="_blank">mail</a></p>',
    'web call mail',
  ],
  [
    'lists of all kinds',
    '<ol><li data-list="ordered"><span class="ql-ui" contenteditable="false"></span>one</li><li data-list="bullet" class="ql-indent-1"><span class="ql-ui" contenteditable="false"></span>two</li><li data-list="checked"><span class="ql-ui" contenteditable="false"></span>x</li><li data-list="unchecked" class="ql-align-right ql-indent-8"><span class="ql-ui" contenteditable="false"></span>y</li></ol>',
    'one\ntwo\nx\ny',
  ],
  [
    'lists as semantic HTML',
    '<ol><li>one<ul><li>two</li></ul></li></ol><ul><li data-list="checked">x</li></ul><ul><li data-list="unchecked">y</li></ul>',
    'one\ntwo\nx\ny',
  ],
  ['checklists of Quill 1', '<ul data-checked="true"><li>x</li></ul><ul data-checked="false"><li>y</li></ul>', 'x\ny'],
  ['quotes', '<blockquote>q</blockquote><blockquote class="ql-align-justify">r</blockquote>', 'q\nr'],
  [
    'code blocks',
    '<div class="ql-code-block-container" spellcheck="false"><div class="ql-code-block" data-language="javascript">if (a&lt;b) {</div><div class="ql-code-block" data-language="javascript">  x &amp; y</div></div>',
    'if (a<b) {\n  x & y',
  ],
  [
    'code with colours',
    '<div class="ql-code-block-container" spellcheck="false"><div class="ql-code-block" data-language="plain"><span class="ql-token hljs-keyword">if</span></div></div>',
    'if',
  ],
  ['code as semantic HTML', '<pre data-language="c++">\na\n  b\n</pre>', 'a\n  b'],
  ['code of Quill 1', '<pre class="ql-syntax" spellcheck="false">a\n</pre>', 'a'],
  ['directions', '<p class="ql-direction-rtl ql-align-right">r</p><p dir="rtl">s</p>', 'r\ns'],
  ['indents', '<p class="ql-indent-3">i</p>', 'i'],
  [
    'images',
    '<p>a <img src="https://e.org/x.png" alt="An &quot;x&quot;" width="200" height="100"> b</p>',
    'a An "x" b',
  ],
  [
    'tables',
    '<table><tbody><tr><td data-row="row-a1b2">a</td><td data-row="row-a1b2">b</td></tr><tr><td data-row="row-c3d4"><br></td></tr></tbody></table>',
    'a b',
  ],
  [
    'formulas',
    '<p><span class="ql-formula" data-value="e=mc^2"><span contenteditable="false">E</span></span></p>',
    'E',
  ],
  ['empty lines', '<p>a</p><p><br></p><p>b</p>', 'a\n\nb'],
  ['spaces', '<p>a&nbsp;&nbsp;b</p>', 'a\u00A0\u00A0b'],
  ['lines across', '<p>a</p><hr><p>b</p>', 'a\nb'],
]

describe("an editor's HTML stays as it is:", () => {
  it.each(quill)('%s', (_what, html, text) => {
    expect(cleanHtml(html)).toBe(html)
    expect(textOf(html)).toBe(text)
  })

  it.each([
    ['<span style="color: rgb(230, 0, 0);">red</span>', '<span>red</span>'],
    ['<table style="border: 1px solid #000;"><tbody></tbody></table>', '<table><tbody></tbody></table>'],
    ['<iframe class="ql-video" src="https://e.org/v"></iframe>x', 'x'],
    ['<span class="ql-cursor">\uFEFF</span>', '<span>\uFEFF</span>'],
    ['<img src="data:image/png;base64,AA">', ''],
    ['<img src="http://e.org/x.png">', ''],
    ['<p class="ql-align-left admin ql-indent-9 ql-align-center modal">x</p>', '<p class="ql-align-center">x</p>'],
    ['<p class="ql-align-centered hljs_x ql-">x</p>', '<p>x</p>'],
    ['<li data-list="none">x</li>', '<li>x</li>'],
    ['<span contenteditable="true">x</span>', '<span>x</span>'],
  ])('but for %s', (html, clean) => expect(cleanHtml(html)).toBe(clean))
})

describe('HTML is cleaned:', () => {
  it.each([
    ['tables', '<table><tbody><tr><td colspan="2">1</td></tr></tbody></table>'],
    ['entities', 'a &lt; b &amp; c &amp;lt; &nbsp; &#8364; &CounterClockwiseContourIntegral;'],
  ])('%s stay as they are', (_what, html) => expect(cleanHtml(html)).toBe(html))

  it.each([
    // What runs, and what hides what runs.
    ['<script>alert(1)</script>x', 'x'],
    ['<SCRIPT SRC=//evil.example></SCRIPT >x', 'x'],
    ['<script>if (a<b) { c("</p>") }</script><p>x</p>', '<p>x</p>'],
    ['<script>never closed <p>x</p>', ''],
    ['<script/x>alert(1)</script>x', 'x'],
    ['<script\n>alert(1)</script\t>x', 'x'],
    ['<scr\u0000ipt>alert(1)</script>x', 'x'],
    ['<style>p { color: red }</style><p style="x">x</p>', '<p>x</p>'],
    ['<style><!--</style><img src=x onerror=alert(1)>-->', '--&gt;'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
    ['<<script>alert(1)//<</script>', '&lt;'],
    ['<scr<!-- -->ipt>alert(1)</script>x', 'ipt&gt;alert(1)x'],
    ['<p onclick="alert(1)" ONMOUSEOVER=alert(1)>x</p>', '<p>x</p>'],
    ['<p/onclick=alert(1)>x</p>', '<p>x</p>'],
    ['<img src=x onerror=alert(1)>x', 'x'],
    ['<img src="https://e.org/x" onerror="alert(1)">', '<img src="https://e.org/x">'],
    ['<image src=https://e.org/x onload=x>', '<img src="https://e.org/x">'],
    [
      '<img src="https://e.org/" alt="&quot; onerror=&quot;x">',
      '<img src="https://e.org/" alt="&quot; onerror=&quot;x">',
    ],
    ['<img """><script>alert(1)</script>">', '"&gt;'],
    ['<body onload=alert(1)><p>x</body>', '<p>x</p>'],
    ['<form action=x><input name=y autofocus onfocus=alert(1)><button formaction="javascript:x">x</form>', 'x'],
    ['<details open ontoggle=alert(1)>x</details><marquee onstart=alert(1)>y</marquee>', 'xy'],
    ['<meta http-equiv=refresh content="0;url=x"><link rel=stylesheet href=x><base href=x>x', 'x'],
    ['<iframe src="https://e.org"></iframe><object data=x>y</object><embed src=x>x', 'x'],
    ['<iframe srcdoc="<script>alert(1)</script>"><p>y</p></iframe>x', 'x'],
    ['<video src=x onerror=alert(1)>y</video><audio>y</audio><canvas>y</canvas>x', 'x'],
    ['<div style="background:url(javascript:x)"><font color=red>x</font></div>', '<div>x</div>'],
    // Comments and the like.
    ['a<!-- <img src=x onerror=alert(1)> -->b', 'ab'],
    ['a<!-- never closed <p>', 'a'],
    ['a<!--><script>alert(1)</script>-->b', 'a--&gt;b'],
    ['a<!--[if IE]><script>alert(1)</script><![endif]-->b', 'ab'],
    ['a<![CDATA[<script>alert(1)</script>]]>b', 'ab'],
    ['a<!x><?php x ?><!DOCTYPE html><?xml version="1.0"?>b', 'ab'],
    ['a</ b>c</3>', 'ac'],
    // Other namespaces, and what is read differently in them.
    ['<svg onload=alert(1)><script>alert(2)</script></svg>x', 'x'],
    ['<svg/onload=alert(1)>x', ''],
    ['<svg/>x', 'x'],
    ['<svg><p>y</svg>x', 'x'],
    ['<p><svg>y</p>x', '<p></p>x'],
    ['<svg><style><img src=x onerror=alert(1)></style></svg>x', 'x'],
    ['<svg><foreignObject><p>y</p></foreignObject></svg>x', 'x'],
    ['<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">', ''],
    ['<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">', ''],
    ['<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">', ''],
    ['<math><annotation-xml encoding="text/html"><p>y</p></annotation-xml></math>x', 'x'],
    ['<template><script>alert(1)</script><p>y</p></template>x', 'x'],
    ['<noscript><p title="</noscript><img src=x onerror=alert(1)>">y</noscript>x', 'x'],
    ['<title><p>y</title><textarea><p>y</textarea><noembed><p>y</noembed><noframes><p>y</noframes>x', 'x'],
    ['<xmp><script>alert(1)</script></xmp>x', '&lt;script&gt;alert(1)&lt;/script&gt;x'],
    ['<plaintext><p>y', '&lt;p&gt;y'],
    ['<select><option><style></option></select><img src=x onerror=alert(1)></style></select>x', 'x'],
    // Where links lead.
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\u0000script:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="\u0001javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\tscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java&#x0A;script:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript&colon;alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#0000106avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="javascript&amp;colon;alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java&NewLine;script&Tab;:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,<script>alert(1)</script>">x</a>', '<a>x</a>'],
    ['<a href="vbscript:x" href="https://example.org">x</a>', '<a>x</a>'],
    ['<a href="//evil.example">x</a><a href="/x">y</a><a href="https:x">z</a>', '<a>x</a><a>y</a><a>z</a>'],
    ['<a href="file:///etc/passwd">x</a><a href="blob:https://e.org/x">y</a>', '<a>x</a><a>y</a>'],
    ['<a href="TEL:+49 123">x</a>', '<a href="TEL:+49 123">x</a>'],
    ['<a xlink:href="javascript:x" ping=x download>x</a>', '<a>x</a>'],
    [
      '<a href=https://example.org/"onclick="alert(1)>x</a>',
      '<a href="https://example.org/&quot;onclick=&quot;alert(1)">x</a>',
    ],
    ["<a href='https://e.org/\"><script>'>x</a>", '<a href="https://e.org/&quot;&gt;&lt;script&gt;">x</a>'],
    ['<a href="https://e.org/&quot;onclick=&quot;x">x</a>', '<a href="https://e.org/&quot;onclick=&quot;x">x</a>'],
    ['<a href="https://e.org/?a&b&copy;&copy=&#65533;">x</a>', '<a href="https://e.org/?a&amp;b©&amp;copy=">x</a>'],
    ['<a target="_blank x" rel="&quot;">x</a>', '<a>x</a>'],
    ['<a target=_blank>x</a>', '<a target="_blank" rel="noopener">x</a>'],
    ['<a rel="opener" target="_top">x</a>', '<a rel="noopener" target="_top">x</a>'],
    ['<a target="_blank" rel="Opener NOFOLLOW me nofollow">x</a>', '<a target="_blank" rel="nofollow noopener">x</a>'],
    ['<a rel="opener">x</a><a rel="noreferrer">y</a>', '<a>x</a><a rel="noreferrer">y</a>'],
    [`<a ${' '.repeat(3_000)} href = "https://e.org"\n>x</a>`, '<a href="https://e.org">x</a>'],
    // Names that objects have anyway.
    ['<constructor>x<__proto__>y</constructor>', 'x&lt;__proto__&gt;y'],
    ['<p constructor="x" __proto__="y" toString="z">x</p>', '<p>x</p>'],
    // What is cut off, or no tag at all.
    ['<a href="https://e.org', ''],
    ['x<b onclick=alert(1)', 'x'],
    ['<p title="x>y</p>', ''],
    ['1 < 2 and 3 > 2', '1 &lt; 2 and 3 &gt; 2'],
    ['a & b &c &d; &#x; &#1; &#x110000;', 'a &amp; b &amp;c &d; &amp;#x; &#1; &#x110000;'],
    ['<p\u0000>x</\u0000p>', '<p>x</p>'],
    ['<br/><hr></br>', '<br><hr><br>'],
    // What is opened is closed, where browsers would or at the end.
    ['</p>a</b></table>', '<p></p>a'],
    ['<p>a<b>b<i>c', '<p>a<b>b<i>c</i></b></p>'],
    ['<b><i>a</b>b</i>c', '<b><i>a</i></b>bc'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['<p>a<section>b</section>c', '<p>a</p>bc'],
    ['<p>a<h1>b</h1></p>c', '<p>a</p><h1>b</h1><p></p>c'],
    ['<ul><li>a<li>b<ul><li>c<li>d</ul>e</ul>f', '<ul><li>a</li><li>b<ul><li>c</li><li>d</li></ul>e</li></ul>f'],
    ['<table><tr><td>a<td>b<tr><th>e</table>f', '<table><tr><td>a</td><td>b</td></tr><tr><th>e</th></tr></table>f'],
    ['<blockquote><p>a</blockquote>b', '<blockquote><p>a</p></blockquote>b'],
    [`${'<b>'.repeat(102)}x${'</b>'.repeat(102)}<i>y`, `${'<b>'.repeat(100)}x${'</b>'.repeat(100)}<i>y</i>`],
    [`${'<p><b>'.repeat(50)}x<i>y<hr>z`, `${'<p><b>'.repeat(50)}xyz${'</b></p>'.repeat(50)}`],
  ])('%s', (html, clean) => {
    expect(cleanHtml(html)).toBe(clean)
    expect(cleanHtml(clean)).toBe(clean)
  })
})

describe('whatever comes', () => {
  const words = (text: string) => fc.constantFrom(...text.split(' '))
  const tags = words(
    'p div span h1 blockquote pre code ul ol li a b i table tr td th tbody tfoot br hr img script style svg math template ' +
      'noscript title textarea iframe xmp plaintext select option form button section body image foreignObject mi x',
  )
  const attributes = words(
    'href="https://e.org" href=javascript:x href=tel:1 src=https://x src=x onclick=x class="ql-ui x" style="x" target="_blank" ' +
      'target rel="opener" alt="&quot;" data-list=checked id=x " \' = / &#60; &quot',
  )
  const tag = fc
    .tuple(words('< < < </ </'), tags, fc.array(attributes, { maxLength: 3 }), words('> > > /> ~'))
    .map(([open, name, given, end]) => `${open}${name}${['', ...given].join(' ')}${end.replace('~', '')}`)
  const pieces = words(
    '<!-- --> <![CDATA[ ]]> <? < > " \' = & / &amp; &lt; &#60; &#0; &lt ß \u0000 \ud83d\ude00 text javascript: \uFFFD',
  )
  const soup = fc
    .array(fc.oneof({ weight: 5, arbitrary: tag }, pieces, fc.constantFrom(' ', '\n'), fc.string({ maxLength: 4 })), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''))
  const deep = fc
    .tuple(fc.array(tag, { minLength: 1, maxLength: 4 }), fc.integer({ min: 30, max: 110 }), soup)
    .map(([parts, times, rest]) => parts.join('').repeat(times) + rest)

  const written = /<(\/?)([a-z]+[1-6]?)((?: [a-z-]+="[^"<>]*")*)>/g
  const known = new Set(
    (
      'p div span h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li a br hr img ' +
      'b strong i em u s ins del strike mark small sub sup ' +
      'table caption thead tbody tfoot tr th td'
    ).split(' '),
  )
  const names = new Set('href src class target rel alt data-list'.split(' '))

  /** How deep tags are nested; throws if they do not end as they began, or if one is not allowed. */
  function depthOf(html: string): number {
    const open: string[] = []
    let deepest = 0
    for (const [, closes, name = '', given = ''] of html.matchAll(written)) {
      expect(known, html).toContain(name)
      for (const [, attribute, value] of given.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
        expect(names, html).toContain(attribute)
        if (attribute === 'href' || attribute === 'src') expect(value).toMatch(/^(https:\/\/|tel:)/)
      }
      if (closes) expect(open.pop(), html).toBe(name)
      else if (!['br', 'hr', 'img'].includes(name)) open.push(name)
      deepest = Math.max(deepest, open.length)
    }
    expect(open, html).toEqual([])
    // Apart from tags and entities, no character of them is left.
    expect(html.replaceAll(written, '')).not.toMatch(/[<>]|&(?!#?\w+;)/)
    return deepest
  }

  it.each([
    ['tags and pieces of tags', soup, 2_000],
    ['many levels of them', deep, 60],
  ])('only what is allowed is left, balanced, and once is enough: %s', (_what, html, numRuns) => {
    fc.assert(
      fc.property(html, (given) => {
        const clean = cleanHtml(given)
        expect(cleanHtml(clean)).toBe(clean)
        expect(depthOf(clean)).toBeLessThanOrEqual(100)
        expect(textOf(clean)).not.toMatch(/[\u0000-\u0008]/)
      }),
      { numRuns },
    )
  })

  it.each(['<', '<a ', '<a x ', '<b>', '</b>', '<!--', '<script', '<svg>', '&', '&a', '" = ', 'a=b ', ' '])(
    'it comes to an end, whatever there is a lot of: %j',
    (part) => {
      const html = part.repeat(50_000 / part.length)
      for (const given of [
        html,
        `<a ${html}>`,
        `<pre>${html}</pre>`,
        `<b>${html}</i>`,
        `${html}${'</i>'.repeat(9_000)}`,
      ])
        textOf(cleanHtml(given))
    },
  )
})
