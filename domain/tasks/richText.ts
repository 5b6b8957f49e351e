import { Parser } from 'htmlparser2'

/** Attributes that any tag may have, with the values that are allowed. */
const anywhere: Readonly<Record<string, RegExp>> = { class: /./, dir: /^(ltr|rtl|auto)$/ }
const code = { 'data-language': /^[\w+#.-]{1,40}$/, spellcheck: /^(true|false)$/ }
const cell = { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/, 'data-row': /^[\w-]{1,64}$/ }

/** Addresses that a link may have. */
export const linkAddress = /^(https?:\/\/|mailto:|tel:)/i
/** Addresses that images and videos may have. */
export const mediaAddress = /^https:\/\//i

/** Further attributes by tag: those that rich-text editors write. */
const attributes: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: linkAddress, target: /^_(blank|self|parent|top)$/, rel: /./ },
  img: { src: mediaAddress, alt: /^/, width: /^\d{1,4}$/, height: /^\d{1,4}$/ },
  ul: { 'data-checked': /^(true|false)$/ },
  li: { 'data-list': /^(ordered|bullet|checked|unchecked)$/ },
  td: cell,
  th: cell,
  div: code,
  pre: code,
  span: { contenteditable: /^false$/, 'data-value': /./ },
}

/** The attributes that a tag may have. */
export const attributesOf = (tag: string): Readonly<Record<string, RegExp>> => ({ ...attributes[tag], ...anywhere })

/** The classes that Quill writes, also for coloured code. Other classes could imitate the page around the text. */
export const editorClass = new RegExp(
  `^(${[
    'ql-align-(center|right|justify)|ql-direction-rtl|ql-indent-[1-8]',
    'ql-font-(serif|monospace)|ql-size-(small|large|huge)',
    'ql-(color|bg)-(white|black|red|orange|yellow|green|blue|purple)',
    'ql-syntax|ql-code-block|ql-code-block-container|ql-token|hljs|hljs-[a-z][a-z_-]*',
    'ql-ui|ql-formula',
  ].join('|')})$`,
)

/** Tags with content that an editor makes. Other tags are left out, but their content stays. */
const containers = new Set(
  [
    'p div span h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li a',
    'b strong i em u ins s strike del mark small sub sup',
    'table caption thead tbody tfoot tr th td',
  ].flatMap((line) => line.split(' ')),
)
/** Tags without content. */
const voidTags = new Set(['br', 'hr', 'img'])
/** Tags that are removed with their content, which is not for readers. */
const removedTags = new Set(
  [
    'script style title template noscript iframe noembed noframes',
    'svg math object audio video canvas select textarea',
  ].flatMap((line) => line.split(' ')),
)

/** Treats all other tags as empty, so what follows them belongs to the tag around them. */
class RichTextParser extends Parser {
  protected override isVoidElement(tag: string): boolean {
    return !containers.has(tag) && !removedTags.has(tag)
  }
}

/** Levels of nested tags: far more than any editor makes. */
const DEEPEST = 100

export type Reader = {
  /** A tag with its attributes as they are written, and whether it will be closed. */
  opened: (tag: string, attributes: Readonly<Record<string, string>>, closes: boolean) => void
  closed: (tag: string) => void
  /** Characters as they are written, entities among them. */
  text: (text: string) => void
}

/** Reads HTML as rich text. Tags are closed in reverse order; tags that are too deep are left out. */
export function readRichText(html: string, reader: Reader): void {
  let depth = 0
  let hidden = 0
  // At the end of the text a tag may be cut off: then the parser closes it, although it has not been opened here.
  let begun: string | undefined
  const isShown = () => hidden === 0 && depth < DEEPEST
  const end = (tag: string) => {
    const closes = containers.has(tag)
    if (closes) depth--
    if (removedTags.has(tag)) hidden--
    if (closes && isShown()) reader.closed(tag)
  }
  const handler = {
    onopentagname: (tag: string) => {
      begun = containers.has(tag) || removedTags.has(tag) ? tag : undefined
    },
    onopentag: (tag: string, attributes: Record<string, string>) => {
      begun = undefined
      const closes = containers.has(tag)
      if (isShown() && (closes || voidTags.has(tag))) reader.opened(tag, attributes, closes)
      if (closes) depth++
      if (removedTags.has(tag)) hidden++
    },
    onclosetag: (tag: string) => {
      if (begun === tag) begun = undefined
      else end(tag)
    },
    ontext: (text: string) => {
      if (hidden === 0) reader.text(text)
    },
  }
  new RichTextParser(handler, { decodeEntities: false }).end(html)
}

const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const greek =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigmaf Sigma Tau Upsilon Phi Chi ' +
  'Psi Omega'
const others =
  'amp & lt < gt > quot " apos \' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • ' +
  'hellip … prime ′ Prime ″ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ hArr ⇔ minus − lowast ∗ radic √ infin ∞ ' +
  'sum ∑ prod ∏ int ∫ part ∂ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ isin ∈ empty ∅ cap ∩ cup ∪ sub ⊂ sup ⊃ and ∧ or ∨ forall ∀ ' +
  'exist ∃ nabla ∇ permil ‰ dagger † Dagger ‡ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ OElig Œ oelig œ Scaron Š ' +
  'scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ colon :'

/** The characters that entities stand for: those of HTML 4, and a few more. */
const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, n): [string, string] => [name, String.fromCodePoint(0xa0 + n)]),
  ...greek.split(' ').flatMap((name, n): [string, string][] => [
    [name, String.fromCodePoint(0x391 + n)],
    [name.toLowerCase(), String.fromCodePoint(0x3b1 + n)],
  ]),
  ...[...others.matchAll(/(\S+) (\S+)/g)].map(([, name = '', one = '']): [string, string] => [name, one]),
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['zwnj', '\u200C'],
  ['zwj', '\u200D'],
])

/** Text with its entities decoded, once: text that was escaped twice stays escaped. */
export const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]*));/gi, (entity, decimal, hexadecimal, name) => {
    if (name) return named.get(name) ?? entity
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return isCharacter(code) ? String.fromCodePoint(code) : ''
  })

/** Whether a code point is a character: no control character, no half of a surrogate pair, not U+FFFD. */
const isCharacter = (code: number): boolean =>
  code <= 0x10ffff && /^[\t\n -~\u00A0-\uD7FF\uE000-\uFFFC\u{10000}-\u{10FFFF}]$/u.test(String.fromCodePoint(code))
