// Changes of parameters that need consent, compared with the deployed stack.
import { isDeepStrictEqual } from 'node:util'
import { parameters, type Value, type Values } from '../build/stageParameters.ts'

/**
 * The parameters that an update may only change if `--change` names them: those that would lose a value, and those that
 * decide who may call. A line each.
 */
function unagreedChanges(deployed: Readonly<Record<string, unknown>>, values: Values): [name: string, says: string][] {
  return Object.entries(parameters).flatMap(([name, { default: byDefault, isGuarded }]) => {
    const [before, after] = [deployed[name] ?? byDefault, values[name] as Value]
    if (isDeepStrictEqual(before, after)) return []
    const isLost = isDeepStrictEqual(after, byDefault) || losesPart(before, after)
    if (!isLost && !isGuarded) return []
    return [[name, `${name}: ${shown(before)} would become ${shown(after)}`]]
  })
}

const shown = (value: unknown): string => (value === '' ? 'nothing' : JSON.stringify(value))

/** Whether a list or a map lacks an element that it had. */
function losesPart(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) return before.some((one) => !after.includes(one))
  if (typeof before !== 'object' || typeof after !== 'object') return false
  return Object.keys(before ?? {}).some((key) => !Object.hasOwn(after ?? {}, key))
}

/** Throws unless every change that `unagreedChanges` finds is named in `named`. */
export function requireAgreed(
  deployed: Readonly<Record<string, unknown>> | undefined,
  values: Values,
  named: readonly string[],
): void {
  const unknown = named.filter((name) => !(name in parameters) && name !== EVERYTHING)
  if (unknown.length > 0) throw new Error(`--change: there is no parameter ${unknown.join(', ')}.`)
  if (named.includes(EVERYTHING)) return
  if (!deployed)
    throw new Error(
      'The deployed version has not stored its parameters, so they cannot be compared. Look them up in the stack, ' +
        `put them into the stage's file, and deploy once with --change ${EVERYTHING}.`,
    )
  const unagreed = unagreedChanges(deployed, values).filter(([name]) => !named.includes(name))
  if (unagreed.length === 0) return
  throw new Error(
    [
      'The deployed stage would lose or change these values:',
      ...unagreed.map(([, says]) => `- ${says}`),
      "Put the deployed values into the stage's file, or agree to the changes:",
      `  ${unagreed.map(([name]) => `--change ${name}`).join(' ')}`,
    ].join('\n'),
  )
}

/** `--change everything` agrees to all changes. */
const EVERYTHING = 'everything'
