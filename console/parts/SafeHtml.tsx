// Formatted text of a task. The service has cleaned it; here only elements of this list are made anew, one by one, so that nothing
// runs even if cleaning failed. No text is ever given to the page as HTML.
import { h, type VNode } from 'preact'
import { useMemo } from 'preact/hooks'

const elements = new Set(
  'p br b strong i em u s del ins sub sup ul ol li blockquote pre code h1 h2 h3 h4 h5 h6 hr a table thead tbody tr th td span div'.split(
    ' ',
  ),
)
/** What these hold is no text. */
const leftOut = new Set(
  'script style template iframe object embed svg math noscript title head form input button select textarea'.split(' '),
)

type Children = (VNode | string)[]

export function SafeHtml({ html }: { html: string }) {
  // A document that is only parsed runs and loads nothing.
  const nodes = useMemo(() => childrenOf(new DOMParser().parseFromString(html, 'text/html').body), [html])
  return (
    <div class="formatted" dir="auto">
      {nodes}
    </div>
  )
}

const childrenOf = (parent: Node): Children => [...parent.childNodes].flatMap(nodeOf)

function nodeOf(node: Node): Children {
  if (node.nodeType === Node.TEXT_NODE) return [node.textContent ?? '']
  if (!(node instanceof HTMLElement)) return []
  const name = node.localName
  if (leftOut.has(name)) return []
  if (!elements.has(name)) return childrenOf(node)
  // Headings of a text are below those of the page.
  const shown = /^h[1-6]$/.test(name) ? `h${Math.min(6, Number(name[1]) + 2)}` : name
  return [h(shown, name === 'a' ? linkOf(node.getAttribute('href')) : {}, childrenOf(node))]
}

function linkOf(href: string | null): Record<string, string> {
  const url = URL.canParse(href ?? '') ? new URL(href ?? '') : undefined
  const isAllowed = url !== undefined && ['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol)
  return isAllowed ? { href: url.href, rel: 'noopener noreferrer', target: '_blank' } : {}
}
