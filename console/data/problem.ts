// Errors in words that people understand.

import { SignInError } from '../session/signInError.ts'
import type { Texts } from '../texts/texts.ts'
import { textOf } from '../texts/texts.ts'
import { RollcallError } from './api.ts'

export const codeOf = (problem: unknown): string | undefined =>
  problem instanceof RollcallError ? problem.error_code : undefined

/** What a person reads about a problem. */
export function wordsFor(problem: unknown, texts: Texts): string {
  if (problem instanceof SignInError) return texts.signIn[problem.reason]
  if (!(problem instanceof RollcallError)) return texts.problems.unknown
  if (problem.status === undefined) return texts.problems.noAnswer
  return problem.error_code ? textOf(texts.errors, problem.error_code) : texts.problems.unknown
}

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
    const isNamed = problem.error_code !== 'VALIDATION_ERROR'
    if (name && !faults.has(name))
      faults.set(name, isNamed ? wordsFor(problem, texts) : texts.problems.notAccepted(message))
  }
  return faults
}

function faultsIn({ errors, property, detail }: RollcallError): readonly { property: string; message: string }[] {
  if (errors?.length) return errors
  return property ? [{ property, message: detail ?? '' }] : []
}

const fieldOf = (property: string, names: readonly string[]): string | undefined =>
  names.find((name) => name === property) ?? names.find((name) => property.split(/[.[]/)[0] === name)
