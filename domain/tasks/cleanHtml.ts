import { attributesOf, decoded, ownClass, readRichText } from './richText.ts'

/**
 * HTML that is safe to show: tags and attributes of rich text, and characters. All of it is written anew, so that browsers
 * read the same tags as were judged here. Cleaning clean HTML changes nothing.
 */
export function cleanHtml(html: string): string {
  const parts: string[] = []
  readRichText(withoutControls(html), {
    opened: (tag, given) => {
      const kept = keptOf(tag, given)
      // An image from nowhere shows nothing.
      if (tag === 'img' && !kept.some(([name]) => name === 'src')) return
      parts.push(`<${tag}${kept.map(([name, value]) => ` ${name}="${quoted(value)}"`).join('')}>`)
    },
    closed: (tag) => parts.push(`</${tag}>`),
    text: (text) => parts.push(escaped(text)),
  })
  return parts.join('')
}

/** Without control characters, and without U+FFFD, which stands for unreadable bytes. */
const withoutControls = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFD]/g, '')

type Given = Readonly<Record<string, string>>

/** The attributes that stay, in their order. */
function keptOf(tag: string, given: Given): [name: string, value: string][] {
  const forms = attributesOf(tag)
  const names = new Set([...Object.keys(given), ...(tag === 'a' && opens(given) ? ['rel'] : [])])
  return [...names].flatMap((name): [string, string][] => {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    const value = form && (changed[name]?.(given) ?? lineOf(given[name]))
    return value !== undefined && form?.test(value) ? [[name, value]] : []
  })
}

const lineOf = (value = ''): string => decoded(value).replace(/\s+/g, ' ').trim()
const wordsOf = (value: string | undefined): string[] => lineOf(value).split(' ')

/** A page that a link opens must not control the page with the link. */
const relations = new Set(['noopener', 'noreferrer', 'nofollow'])
const opens = ({ target }: Given): boolean => attributesOf('a').target?.test(lineOf(target)) ?? false

/** Attributes that hold several words, of which some may stay. */
const changed: Readonly<Record<string, (given: Given) => string>> = {
  class: (given) => [...new Set(wordsOf(given.class).filter((one) => ownClass.test(one)))].join(' '),
  rel: (given) => {
    const named = wordsOf(given.rel)
      .map((one) => one.toLowerCase())
      .filter((one) => relations.has(one))
    return [...new Set([...named, ...(opens(given) ? ['noopener'] : [])])].join(' ')
  },
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const quoted = (value: string): string => value.replace(/[&<>"]/g, (one) => escapes[one] ?? one)
/** Text in which every sign of HTML is an entity. */
const escaped = (text: string): string =>
  text.replace(/[<>]|&(?!(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]*);)/gi, (one) => escapes[one] ?? one)
