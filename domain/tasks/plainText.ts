import { decoded, readRichText } from './richText.ts'

const blocks = new Set('p div ul ol li h1 h2 h3 h4 h5 h6 blockquote pre table caption tr hr'.split(' '))
/** Marks for where a block begins or ends, and for line breaks: control characters, which clean HTML does not have. */
const EDGE = '\u0001'
const BREAK = '\u0002'
/** Mark for a space that counts. */
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
