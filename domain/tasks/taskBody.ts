import type { Fault } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { isGiven } from '../base/values.ts'
import { cleanDelta, cleanHtml, textOf } from './cleanBody.ts'

/** A task's body: the same text in up to three forms. */
export type TaskBody = { plain?: string; delta?: string; html?: string }
type Text = string | null | undefined

/** A body as clients send it: the forms by their names, or one form as contents with `content_format`. */
export type BodyInput = {
  plain?: Text
  delta?: Text
  html?: Text
  content_format?: 'PLAIN' | 'DELTA' | 'HTML' | null | undefined
  contentPlain?: Text
  contentDelta?: Text
  contentHtml?: Text
}

/** The most characters of all forms of a body, as they are stored. */
const MOST_CHARACTERS = 50_000

const contents = { PLAIN: 'contentPlain', DELTA: 'contentDelta', HTML: 'contentHtml' } as const

/** The forms of a body, written in either way. */
function formsOf(input: BodyInput): TaskBody {
  const { plain, delta, html } = input.content_format
    ? { plain: input.contentPlain, delta: input.contentDelta, html: input.contentHtml }
    : input
  return definedOf({ plain, delta, html })
}

/** The forms that are given. */
const definedOf = (forms: { [Name in keyof TaskBody]: Text }): TaskBody =>
  Object.fromEntries(Object.entries(forms).filter(([, form]) => isGiven(form)))

/** The fault of a body that is too long. It names the length of each form, also as it was sent if cleaning has changed it. */
function tooLong(body: TaskBody, sent: TaskBody = {}): Fault {
  const forms = Object.entries(body).map(([name, form]) => {
    const [now, before] = [charactersIn(form), charactersIn(sent[name as keyof TaskBody] ?? form)]
    return `${name} has ${now}${now === before ? '' : ` as it is stored, ${before} as it was sent`}`
  })
  const most = `must have at most ${MOST_CHARACTERS} characters in all its forms`
  return { property: 'body', message: `${most}: ${forms.join('; ')}` }
}

/**
 * A body as it is stored, and its faults. HTML and delta are cleaned; plain text is made from them if it is not given. All
 * bodies come through here. A stored body does not change when it is sent again.
 */
export function bodyFrom(input: BodyInput | null | undefined): { body: TaskBody; faults: Fault[] } {
  const sent = input ?? {}
  const forms = formsOf(sent)
  const faults = mixedForms(sent)
  // Cleaning a body that is refused anyway would only take time.
  if (Object.values(forms).some((form) => charactersIn(form) > MOST_CHARACTERS))
    return { body: {}, faults: [...faults, tooLong(forms)] }
  const { html, derived, delta } = cleaned(forms)
  if (forms.delta !== undefined && delta === undefined)
    faults.push({
      property: `body.${sent.content_format ? contents.DELTA : 'delta'}`,
      message: 'must be a Quill delta as JSON',
    })
  const body = definedOf({ plain: forms.plain ?? derived, delta, html })
  return { body, faults: [...faults, ...lengthFaults(body, derived, forms)] }
}

/**
 * A body after a merge patch (RFC 7396); `clean` is the patch after bodyFrom. A form that is not named stays, null removes one,
 * and a body with `content_format` replaces all forms. Plain text that was made from another form changes with that form, also
 * when it is sent back.
 */
export function patchedBody(
  stored: TaskBody,
  patch: BodyInput | null,
  clean: TaskBody,
): { body: TaskBody; faults: Fault[] } {
  if (!patch || patch.content_format) return { body: clean, faults: [] }
  const form = (name: keyof TaskBody) => (patch[name] === undefined ? stored[name] : clean[name])
  const others = definedOf({ delta: form('delta'), html: form('html') })
  const derived = plainTextOf(others)
  const stays = patch.plain === undefined || patch.plain === stored.plain
  const follows = stays ? stored.plain === plainTextOf(stored) : patch.plain === null
  const plain = follows && derived !== undefined ? derived : form('plain')
  const body = definedOf({ plain, ...others })
  return { body, faults: lengthFaults(body, derived) }
}

/** Clean forms, and the plain text that is made from them. */
function cleaned(forms: TaskBody) {
  const html = forms.html === undefined ? undefined : cleanHtml(forms.html)
  const delta = forms.delta === undefined ? undefined : cleanDelta(forms.delta)
  return { html, delta: delta?.clean, derived: html === undefined ? delta?.text : textOf(html) }
}

/** The plain text that is made from clean forms. */
const plainTextOf = ({ delta, html }: TaskBody): string | undefined =>
  html === undefined ? delta && cleanDelta(delta)?.text : textOf(html)

/** Plain text that is made from another form does not count, so that a body that was read can be sent back. */
function lengthFaults({ plain, ...others }: TaskBody, derived: string | undefined, sent?: TaskBody): Fault[] {
  const counted = plain === undefined || plain === derived ? others : { plain, ...others }
  const length = Object.values(counted).reduce((sum, form) => sum + charactersIn(form), 0)
  return length > MOST_CHARACTERS ? [tooLong(counted, sent)] : []
}

/** Faults of a body that mixes the two ways to write one, or lacks the content that it names. */
function mixedForms({ content_format, ...forms }: BodyInput): Fault[] {
  const otherWay = content_format ? (['plain', 'delta', 'html'] as const) : Object.values(contents)
  const content = content_format && contents[content_format]
  return [
    ...otherWay
      .filter((name) => isGiven(forms[name]))
      .map((name) => ({
        property: `body.${name}`,
        message: 'must not be given together with the other way of writing a body',
      })),
    ...(content && !isGiven(forms[content])
      ? [{ property: `body.${content}`, message: 'must be given, as content_format names it' }]
      : []),
  ]
}
