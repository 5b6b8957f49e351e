import type { Fault } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { cleanDelta } from './cleanDelta.ts'
import { cleanHtml } from './cleanHtml.ts'
import { textOf } from './plainText.ts'

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

/** The most characters of the forms of a body together, as they are stored. */
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

/** Names each form with its length; where it is stored otherwise than it was sent, with both. */
function tooLong(body: TaskBody, sent: TaskBody = {}): Fault {
  const forms = Object.entries(body).map(([name, form]) => {
    const [now, before] = [charactersIn(form), charactersIn(sent[name as keyof TaskBody] ?? form)]
    return `${name} has ${now}${now === before ? '' : ` as it is stored, ${before} as it was sent`}`
  })
  const most = `must NOT have more than ${MOST_CHARACTERS} characters in all its forms`
  return { property: 'body', message: `${most}: ${forms.join('; ')}` }
}

/**
 * A body as it is stored, and what is wrong with it: HTML and delta cleaned, and plain text worked out where only another
 * form was given. Every body comes through here, and one that did stays as it is when it comes again.
 */
export function bodyFrom(given: GivenBody | null | undefined): { body: TaskBody; faults: Fault[] } {
  const forms = formsOf(given ?? {})
  const faults = misfits(given ?? {})
  // Cleaning what is refused anyway would only take time.
  if (Object.values(forms).some((form) => charactersIn(form) > MOST_CHARACTERS))
    return { body: {}, faults: [...faults, tooLong(forms)] }
  const { derived, ...clean } = cleaned(forms)
  if (forms.delta !== undefined && clean.delta === undefined)
    faults.push({
      property: `body.${given?.content_format ? contents.DELTA : 'delta'}`,
      message: 'must be a Quill delta as JSON',
    })
  const { plain = derived } = forms
  const body = { ...(plain === undefined ? {} : { plain }), ...clean }
  return {
    body,
    faults: lengthOf(body, derived) > MOST_CHARACTERS ? [...faults, tooLong(counted(body, derived), forms)] : faults,
  }
}

/**
 * A body after a merge patch (RFC 7396), of which `clean` is what bodyFrom makes: a form that is not named stays, null
 * takes one away, contents with the name of their form are a whole new body. Plain text that was worked out from another
 * form follows that one, be it sent back or not.
 */
export function patchedBody(
  stored: TaskBody,
  patch: GivenBody | null,
  clean: TaskBody,
): { body: TaskBody; faults: Fault[] } {
  if (!patch || patch.content_format) return { body: clean, faults: [] }
  const named = (name: keyof TaskBody): TaskBody => {
    const { [name]: form } = patch[name] === undefined ? stored : clean
    return form === undefined ? {} : { [name]: form }
  }
  const others = { ...named('delta'), ...named('html') }
  const derived = workedOut(others)
  const stays = patch.plain === undefined || patch.plain === stored.plain
  const follows = stays ? stored.plain === workedOut(stored) : patch.plain === null
  const plain = follows && derived !== undefined ? { plain: derived } : named('plain')
  const body = { ...plain, ...others }
  return { body, faults: lengthOf(body, derived) > MOST_CHARACTERS ? [tooLong(counted(body, derived))] : [] }
}

/** The plain text of clean forms. */
const workedOut = ({ delta, html }: TaskBody): string | undefined =>
  html === undefined ? delta && cleanDelta(delta)?.text : textOf(html)

/** The forms but for plain text, which is worked out from them. */
function cleaned(forms: TaskBody): Pick<TaskBody, 'delta' | 'html'> & { derived: string | undefined } {
  const html = forms.html === undefined ? undefined : cleanHtml(forms.html)
  const delta = forms.delta === undefined ? undefined : cleanDelta(forms.delta)
  return {
    derived: html === undefined ? delta?.text : textOf(html),
    ...(delta === undefined ? {} : { delta: delta.clean }),
    ...(html === undefined ? {} : { html }),
  }
}

/** Plain text that follows from another form anyway does not count: a body that was read can be sent back. */
const counted = ({ plain, ...others }: TaskBody, derived: string | undefined): TaskBody =>
  plain === undefined || plain === derived ? others : { plain, ...others }

const lengthOf = (body: TaskBody, derived: string | undefined): number =>
  Object.values(counted(body, derived)).reduce((sum, form) => sum + charactersIn(form), 0)

/** What is wrong with the way in which a body is written. */
function misfits(given: GivenBody): Fault[] {
  const other = 'must not be given beside the other way of writing a body'
  return [
    ...mixture(given).map((name) => ({ property: `body.${name}`, message: other })),
    ...missing(given).map((name) => ({ property: `body.${name}`, message: 'is missing, and content_format names it' })),
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
