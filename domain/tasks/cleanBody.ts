import { asRecord, isDeeperThan, isGiven, isNested } from '../base/values.ts'
import { attributesOf, decoded, editorClass, linkAddress, mediaAddress, readRichText } from './richText.ts'

/**
 * HTML that is safe to show: tags and attributes of rich text, and characters. All of it is written anew, so that browsers
 * see exactly the tags that were checked here. Cleaning clean HTML changes nothing.
 */
export function cleanHtml(html: string): string {
  const parts: string[] = []
  readRichText(withoutControls(html), {
    opened: (tag, written) => {
      const kept = keptOf(tag, written)
      // An image without an address shows nothing.
      if (tag === 'img' && !kept.some(([name]) => name === 'src')) return
      parts.push(`<${tag}${kept.map(([name, value]) => ` ${name}="${quoted(value)}"`).join('')}>`)
    },
    closed: (tag) => parts.push(`</${tag}>`),
    text: (text) => parts.push(escaped(text)),
  })
  return parts.join('')
}

/** Without control characters, and without U+FFFD, which replaces unreadable bytes. */
const withoutControls = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFD]/g, '')

/** The attributes of a tag, as they are written. */
type Attributes = Readonly<Record<string, string>>

/** The attributes that stay, in their order. */
function keptOf(tag: string, written: Attributes): [name: string, value: string][] {
  const forms = attributesOf(tag)
  const names = new Set([...Object.keys(written), ...(tag === 'a' && opens(written) ? ['rel'] : [])])
  return [...names].flatMap((name): [string, string][] => {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    const value = form && (filtered[name]?.(written) ?? lineOf(written[name]))
    return value !== undefined && form?.test(value) ? [[name, value]] : []
  })
}

const lineOf = (value = ''): string => decoded(value).replace(/\s+/g, ' ').trim()
const wordsOf = (value: string | undefined): string[] => lineOf(value).split(' ')

/** A page that a link opens must not control the page with the link. */
const relations = new Set(['noopener', 'noreferrer', 'nofollow'])
const opens = ({ target }: Attributes): boolean => attributesOf('a').target?.test(lineOf(target)) ?? false

/** The values of attributes that hold several words, with the allowed words only. */
const filtered: Readonly<Record<string, (written: Attributes) => string>> = {
  class: (written) => [...new Set(wordsOf(written.class).filter((one) => editorClass.test(one)))].join(' '),
  rel: (written) => {
    const named = wordsOf(written.rel)
      .map((one) => one.toLowerCase())
      .filter((one) => relations.has(one))
    return [...new Set([...named, ...(opens(written) ? ['noopener'] : [])])].join(' ')
  },
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const quoted = (value: string): string => value.replace(/[&<>"]/g, (one) => escapes[one] ?? one)
/** Text in which every sign of HTML is an entity. */
const escaped = (text: string): string =>
  text.replace(/[<>]|&(?!(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]*);)/gi, (one) => escapes[one] ?? one)

const blocks = new Set('p div ul ol li h1 h2 h3 h4 h5 h6 blockquote pre table caption tr hr'.split(' '))
/** Signs for where a block begins or ends, and for line breaks: control characters, which clean HTML does not have. */
const EDGE = '\u0001'
const BREAK = '\u0002'
/** The sign for a space that counts. */
const SPACE = '\u0003'

/** Clean HTML as plain text: a line for each block, and the `alt` of images. */
export function textOf(html: string): string {
  const parts: string[] = []
  /** For each open tag, whether white space counts in it. */
  const open: boolean[] = []
  const isAsWritten = () => open.at(-1) ?? false
  const edge = (tag: string) => parts.push(blocks.has(tag) ? EDGE : '')
  readRichText(html, {
    opened: (tag, { class: classes, alt = '' }, closes) => {
      edge(tag)
      if (closes) open.push(isAsWritten() || tag === 'pre' || (classes ?? '').includes('ql-code-block-container'))
      if (tag === 'br') parts.push(BREAK)
      if (tag === 'img') parts.push(alt)
    },
    closed: (tag) => {
      open.pop()
      edge(tag)
      if (tag === 'td' || tag === 'th') parts.push(' ')
    },
    text: (text) => parts.push(isAsWritten() ? text.replaceAll(' ', SPACE) : text.replace(/[ \t\r\n]+/g, ' ')),
  })
  const lines = parts
    .join('')
    .replaceAll(new RegExp(`[ \\n]?${EDGE}[${EDGE} ]*\\n?`, 'g'), '\n')
    .replaceAll(new RegExp(` ?${BREAK} ?`, 'g'), '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .replaceAll(SPACE, ' ')
  return decoded(lines)
}

type Fields = Readonly<Record<string, unknown>>
type Insertion = Fields & { insert: unknown }

/** Far more levels than any editor makes. */
const DEEPEST_DELTA = 30
/** Insertions that browsers load from an address. */
const embedded = ['image', 'video']

/**
 * A Quill delta that is safe to show, and its plain text: its insertions, and the `alt` of images. Undefined if `delta` is not a
 * delta. Links and media with other addresses than HTML may have are removed; a delta without such stays as it came.
 */
export function cleanDelta(delta: string): { clean: string; text: string } | undefined {
  const value = parsed(delta)
  const ops = asRecord(value)?.ops
  if (!Array.isArray(ops) || !ops.every(isInsertion) || isDeeperThan(DEEPEST_DELTA, value)) return undefined
  const kept = ops.filter(isShown).map(withoutBadLink)
  const isClean = kept.length === ops.length && kept.every((op, n) => op === ops[n])
  return {
    clean: isClean ? delta : sendable(JSON.stringify({ ...asRecord(value), ops: kept })),
    text: sendable(kept.map(textIn).join('')),
  }
}

/**
 * The text without what requests may not contain, so that an answer can be sent back: JSON in a delta may escape half surrogate
 * pairs and U+FFFD.
 */
const sendable = (text: string): string => text.toWellFormed().replaceAll('\ufffd', '')

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Whether an operation of a delta inserts text, or something embedded. */
const isInsertion = (op: unknown): op is Insertion => {
  const insert = asRecord(op)?.insert
  return typeof insert === 'string' || isNested(insert)
}

const isAllowed = (address: unknown, form: RegExp): boolean =>
  !isGiven(address) || (typeof address === 'string' && form.test(address))

const isShown = ({ insert }: Insertion): boolean =>
  embedded.every((name) => isAllowed(asRecord(insert)?.[name], mediaAddress))

/** An insertion as plain text. */
function textIn({ insert, attributes }: Insertion): string {
  if (typeof insert === 'string') return insert
  const { image, formula } = asRecord(insert) ?? {}
  const text = isGiven(image) ? asRecord(attributes)?.alt : formula
  return typeof text === 'string' ? text : ''
}

function withoutBadLink(op: Insertion): Insertion {
  const { link, ...others } = asRecord(op.attributes) ?? {}
  return isAllowed(link, linkAddress) ? op : { ...op, attributes: others }
}
