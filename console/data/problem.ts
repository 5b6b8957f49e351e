// Errors in words that people understand.

import { SignInError } from '../session/signInError.ts'
import type { Texts } from '../texts/texts.ts'
import { textOf } from '../texts/texts.ts'
import { RollcallError } from './api.ts'
import { faultOfField } from './faultOfField.ts'

export const codeOf = (problem: unknown): string | undefined =>
  problem instanceof RollcallError ? problem.error_code : undefined

/** Reads a record once more if a change was refused because somebody else has changed it: the next attempt names the new version. */
export function readIfOutdated(problem: unknown, again: (() => void) | undefined): void {
  if (codeOf(problem) === 'PRECONDITION_FAILED') again?.()
}

/** What a person reads about a problem. */
export function wordsFor(problem: unknown, texts: Texts): string {
  if (problem instanceof SignInError) return texts.signIn[problem.reason]
  if (!(problem instanceof RollcallError)) return texts.problems.unknown
  if (problem.status === undefined) return texts.problems.noAnswer
  if (!problem.error_code) return texts.problems.unknown
  const words = textOf(texts.errors, problem.error_code)
  return problem.error_code === unfit ? [words, ...faultsInWords(problem, texts)].join(' ') : words
}

/** The code of a request with a value that the service does not take. Its faults say which one, and why. */
const unfit = 'VALIDATION_ERROR'

/** The faults of a request for which there are words, each with the name of its field, if people know that. */
function faultsInWords(problem: RollcallError, texts: Texts): string[] {
  return faultsIn(problem).flatMap(({ property, message }) => {
    const said = faultOfField(message, texts)
    const [name = ''] = property.split(/[.[]/)
    if (said === undefined) return []
    return Object.hasOwn(texts.fields, name) ? `${textOf(texts.fields, name)}: ${said}` : said
  })
}

/** That a call waits and is sent again, and why. */
export const waitText = (seconds: number, { status }: RollcallError, { problems }: Texts): string =>
  (status === undefined ? problems.waitingForAnswer : problems.waiting)(seconds)

/** What became of the call, if that is in doubt. */
export function doubtAbout(problem: unknown, texts: Texts): string | undefined {
  if (!(problem instanceof RollcallError)) return undefined
  if (problem.done === 'unknown') return texts.problems.maybeDone
  return problem.done ? texts.problems.done : undefined
}

/**
 * The faults of a refused request by field: `attributes[0].value` belongs to `attributes` too, unless a field of its name exists.
 * `names`: the fields of the form.
 */
export function faultsByField(problem: unknown, names: readonly string[], texts: Texts): Map<string, string> {
  const faults = new Map<string, string>()
  if (!(problem instanceof RollcallError)) return faults
  for (const { property, message } of faultsIn(problem)) {
    const name = fieldOf(property, names)
    const words = () => faultOfField(message, texts) ?? texts.problems.notAccepted
    if (name && !faults.has(name)) faults.set(name, problem.error_code === unfit ? words() : wordsFor(problem, texts))
  }
  return faults
}

function faultsIn({ errors, property, detail }: RollcallError): readonly { property: string; message: string }[] {
  if (errors?.length) return errors
  return property ? [{ property, message: detail ?? '' }] : []
}

const fieldOf = (property: string, names: readonly string[]): string | undefined =>
  names.find((name) => name === property) ?? names.find((name) => property.split(/[.[]/)[0] === name)
