import parser from 'xss/lib/parser.js'
import { openTags } from './openTags.ts'

/** What a rich-text editor makes; whatever is not named here is left out. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'p br strong b em i u s ul ol li h1 h2 h3 h4 h5 h6 blockquote code pre span table thead tbody tfoot tr caption'
      .split(' ')
      .map((tag) => [tag, []]),
  ),
  a: ['href', 'target', 'rel'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
}
const childless = new Set(['br'])
/** What stands in these is no text for readers: it goes with them. */
const unread = new Set(['script', 'style', 'title'])

/** What a link may lead to. */
export const leadsOut = /^(https?:\/\/|mailto:)/i

const forms: Readonly<Record<string, RegExp>> = {
  href: leadsOut,
  target: /^_(blank|self|parent|top)$/,
  rel: /./,
  colspan: /^\d{1,3}$/,
  rowspan: /^\d{1,3}$/,
}

/** What is opened must not get hold of where it was opened from. */
const relations = new Set(['noopener', 'noreferrer', 'nofollow'])

/**
 * Looking for attributes takes time that grows with a tag's length times the spaces in it. What has more of them than
 * any link keeps no attribute: neither as it came nor as it would be written, so that it stays as it is the next time.
 */
const LONGEST_TAG = 1_000
const MOST_SPACES = 40
const isShort = (tag: string): boolean => tag.length <= LONGEST_TAG && tag.split(' ').length - 1 <= MOST_SPACES

/**
 * HTML that is safe to show: text, tags and attributes that are allowed, and nothing else. Every tag is written anew, and
 * every `<` and `>` that is none of these tags' is escaped, so that nothing in it can be read as another tag than was
 * judged here; what is opened is closed, in its order. What was cleaned stays as it is when it is cleaned again.
 */
export function cleanHtml(html: string): string {
  const text = withoutComments(html.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, ''))
  let inside: string | undefined
  const shown = (part: string): string => (inside === undefined ? escaped(part) : '')
  const tags = openTags()
  const clean = parser.parseTag(
    text,
    (_from, _to, tag, part, isClosing) => {
      const was = inside
      if (unread.has(tag) && (was ?? tag) === tag) inside = isClosing ? undefined : tag
      return was === undefined ? judged({ tag, part, isClosing }, tags) : ''
    },
    shown,
  )
  return `${clean}${tags.atEnd()}`
}

type Tag = { tag: string; part: string; isClosing: boolean }

function judged({ tag, part, isClosing }: Tag, tags: ReturnType<typeof openTags>): string {
  if (!isTag(part)) return escaped(part)
  if (!Object.hasOwn(allowed, tag)) return ''
  if (childless.has(tag)) return isClosing ? '' : `<${tag}>`
  return isClosing ? tags.closed(tag) : tags.opened(tag, tagOf(tag, part))
}

/** In "1 < 2 and 3 > 2" and at the end of what was cut off stands no tag. */
const isTag = (part: string): boolean => /^<\/?[a-z!?].*>$/is.test(part)

function withoutComments(html: string): string {
  const [first = '', ...others] = html.split('<!--')
  return others.reduce((all, other) => {
    const end = other.indexOf('-->')
    return end < 0 ? all : all + other.slice(end + 3)
  }, first)
}

function tagOf(tag: string, part: string): string {
  const names = allowed[tag] ?? []
  const bare = `<${tag}>`
  if (names.length === 0) return bare
  const given = attributesOf(part.replace(/\s+/g, ' '))
  const kept = names.flatMap((name) => {
    const value = given.get(name)
    return value !== undefined && forms[name]?.test(value) ? [` ${name}="${quoted(value)}"`] : []
  })
  const written = `<${tag}${kept.join('')}>`
  return isShort(written) ? written : bare
}

function attributesOf(part: string): Map<string, string> {
  const given = new Map<string, string>()
  const start = part.indexOf(' ')
  if (start < 0 || !isShort(part)) return given
  parser.parseAttr(part.slice(start, -1).replace(/ ?\/?$/, ''), (name, value) => {
    // As in a browser, the first one counts.
    if (!given.has(name)) given.set(name, decoded(value).replace(/\s+/g, ' ').trim())
    return ''
  })
  const rel = (given.get('rel') ?? '').toLowerCase().split(' ')
  const opens = forms.target?.test(given.get('target') ?? '') ? ['noopener'] : []
  given.set('rel', [...new Set([...rel.filter((one) => relations.has(one)), ...opens])].join(' '))
  return given
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' } as const
const escaped = (text: string): string => text.replace(/[<>]/g, (one) => escapes[one as '<'])
const quoted = (value: string): string => value.replace(/[&<>"]/g, (one) => escapes[one as '&'])

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  shy: '\u00AD',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  hellip: '…',
  euro: '€',
  copy: '©',
}

/** Text with the characters that its entities stand for; once, so that what was escaped twice stays escaped. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (entity, decimal, hexadecimal, name) => {
    if (name) return Object.hasOwn(named, name) ? (named[name] as string) : entity
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return isCharacter(code) ? String.fromCodePoint(code) : ''
  })
}

/** Whether a number is that of a character: none of those that control, no half of a pair. */
const isCharacter = (code: number): boolean =>
  (code >= 0x20 || code === 0x09 || code === 0x0a) && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)

const blocks = new Set('p ul ol li h1 h2 h3 h4 h5 h6 blockquote pre table caption tr'.split(' '))
/** Where a block begins or ends, and where a line is broken: characters that clean HTML has none of. */
const EDGE = '\u0001'
const BREAK = '\u0002'

/** What a reader sees of clean HTML, as plain text: a line for each block. */
export function textOf(html: string): string {
  let preformatted = 0
  const marked = parser.parseTag(
    html,
    (_from, _to, tag, _part, isClosing) => {
      if (tag === 'pre') preformatted += isClosing ? -1 : 1
      return markOf(tag, isClosing)
    },
    (part) => (preformatted > 0 ? part : part.replace(/[ \t\r\n]+/g, ' ')),
  )
  const lines = marked
    .replaceAll(new RegExp(` ?${EDGE}[${EDGE} ]*`, 'g'), '\n')
    .replaceAll(new RegExp(` ?${BREAK} ?`, 'g'), '\n')
  return decoded(lines.replaceAll(/\n{3,}/g, '\n\n').trim())
}

function markOf(tag: string, isClosing: boolean): string {
  if (tag === 'br') return BREAK
  if (tag === 'td' || tag === 'th') return isClosing ? ' ' : ''
  return blocks.has(tag) ? EDGE : ''
}
