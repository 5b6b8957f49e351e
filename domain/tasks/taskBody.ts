import type { Fault } from '../errors.ts'
import { cleanHtml, textOf } from './cleanHtml.ts'

/** A task's body: the same text in up to three forms. */
export type TaskBody = { plain?: string; delta?: string; html?: string }

/** A body as clients send it: the forms by their names, or as contents with the name of the one that was written. */
export type GivenBody = {
  plain?: string | null | undefined
  delta?: string | null | undefined
  html?: string | null | undefined
  content_format?: 'PLAIN' | 'DELTA' | 'HTML' | null | undefined
  contentPlain?: string | null | undefined
  contentDelta?: string | null | undefined
  contentHtml?: string | null | undefined
}

/** The most characters of the forms of a body together. */
const MOST_CHARACTERS = 50_000

const contents = { PLAIN: 'contentPlain', DELTA: 'contentDelta', HTML: 'contentHtml' } as const

/** The forms that a body gives, whichever way it is written. */
function formsOf(given: GivenBody): TaskBody {
  const { plain, delta, html } = given.content_format
    ? { plain: given.contentPlain, delta: given.contentDelta, html: given.contentHtml }
    : given
  return {
    ...(typeof plain === 'string' ? { plain } : {}),
    ...(typeof delta === 'string' ? { delta } : {}),
    ...(typeof html === 'string' ? { html } : {}),
  }
}

/**
 * A body as it is stored: HTML cleaned, and plain text worked out where only another form was given. Every body comes
 * through here, and one that did stays as it is when it comes again.
 */
export function bodyFrom(given: GivenBody | null | undefined): TaskBody {
  const forms = formsOf(given ?? {})
  const html = forms.html === undefined ? undefined : cleanHtml(forms.html)
  const plain = forms.plain ?? derived({ ...forms, html })
  return {
    ...(plain === undefined ? {} : { plain }),
    ...(forms.delta === undefined ? {} : { delta: forms.delta }),
    ...(html === undefined ? {} : { html }),
  }
}

function derived({ html, delta }: { html?: string | undefined; delta?: string | undefined }): string | undefined {
  if (html !== undefined) return textOf(html)
  return delta === undefined ? undefined : insertedBy(delta)
}

/** The text of a Quill delta: what it inserts, but for what is no text; undefined where it is none. */
function insertedBy(delta: string): string | undefined {
  const ops = opsOf(delta)
  if (!Array.isArray(ops)) return undefined
  const inserted = ops.map((op: { insert?: unknown } | null) => op?.insert)
  if (inserted.some((insert) => insert === undefined || insert === null)) return undefined
  return inserted.filter((insert) => typeof insert === 'string').join('')
}

function opsOf(delta: string): unknown {
  try {
    return (JSON.parse(delta) as { ops?: unknown } | null)?.ops
  } catch {
    return undefined
  }
}

/** What is wrong with a body whose fields have the right types. */
export function bodyFaults(given: GivenBody): Fault[] {
  const forms = formsOf(given)
  const other = 'must not be given beside the other way of writing a body'
  return [
    ...mixture(given).map((name) => ({ property: `body.${name}`, message: other })),
    ...missing(given).map((name) => ({ property: `body.${name}`, message: 'is missing, and content_format names it' })),
    ...(forms.delta !== undefined && insertedBy(forms.delta) === undefined
      ? [
          {
            property: `body.${given.content_format ? 'contentDelta' : 'delta'}`,
            message: 'must be a Quill delta as JSON',
          },
        ]
      : []),
    ...(lengthOf(forms) > MOST_CHARACTERS
      ? [{ property: 'body', message: `must NOT have more than ${MOST_CHARACTERS} characters in all its forms` }]
      : []),
  ]
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Fields of the way of writing that is not the one chosen. */
const mixture = (given: GivenBody): string[] =>
  (given.content_format ? (['plain', 'delta', 'html'] as const) : Object.values(contents)).filter((name) =>
    isGiven(given[name]),
  )

const missing = ({ content_format, ...given }: GivenBody): string[] =>
  content_format && !isGiven(given[contents[content_format]]) ? [contents[content_format]] : []

/** Plain text that follows from another form anyway does not count: whoever reads a body can send it back. */
function lengthOf({ plain, delta = '', html = '' }: TaskBody): number {
  const others = delta.length + html.length
  if (plain === undefined || others === 0 || others > MOST_CHARACTERS) return others + (plain?.length ?? 0)
  const { plain: follows } = bodyFrom({ ...(delta ? { delta } : {}), ...(html ? { html } : {}) })
  return follows === plain ? others : others + plain.length
}
