import { readFileSync } from 'node:fs'

// Decides as IAM does whether policies allow a request, and reads the policies of docs/ as they are for a stage.

type Texts = string | readonly string[]
type IamStatement = {
  Sid?: string
  Effect: 'Allow' | 'Deny'
  Action: Texts
  Resource: Texts
  Condition?: Readonly<Record<string, Readonly<Record<string, Texts>>>>
}
export type Policy = { Statement: readonly IamStatement[] }
/** A request: what it asks for, of which resource, and the keys of its context. */
export type Asked = { action: string; resource: string; context?: Readonly<Record<string, Texts>> }

const region = 'eu-central-1'
const account = '123456789012'
export const arnOf = (service: string, rest: string, where: readonly [string, string] = [region, account]): string =>
  `arn:aws:${service}:${where.join(':')}:${rest}`

/** A policy of docs/ with the names of a stage. */
export const policyOf = (name: string, stage: string): Policy =>
  JSON.parse(
    readFileSync(`docs/${name}.json`, 'utf8')
      .replaceAll('ACCOUNT', account)
      .replaceAll('REGION', region)
      .replaceAll('THE_STAGE', stage)
      .replaceAll('IMPORT_BUCKET', 'our-files'),
  )

/** Whether the policies allow a request: at least one statement allows it, and none denies it. */
export function isAllowedBy(policies: readonly Policy[], asked: Asked): boolean {
  const fitting = policies.flatMap(({ Statement }) => Statement).filter((statement) => fits(statement, asked))
  return fitting.length > 0 && fitting.every(({ Effect }) => Effect === 'Allow')
}

const fits = ({ Action, Resource, Condition = {} }: IamStatement, { action, resource, context = {} }: Asked): boolean =>
  isLike([action], Action) &&
  isLike([resource], Resource) &&
  Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => holds(operator, context[key], wanted)),
  )

function holds(operator: string, found: Texts | undefined, wanted: Texts): boolean {
  const is = found !== undefined && [found].flat().some((one) => [wanted].flat().includes(one))
  switch (operator) {
    case 'StringEquals':
    case 'ArnEquals':
    case 'ForAnyValue:StringEquals':
      return is
    case 'StringEqualsIfExists':
      return found === undefined || is
    case 'StringNotEquals':
      return !is
    case 'ArnLike':
      return found !== undefined && isLike(found, wanted)
    case 'Null':
      return [wanted].flat().includes(String(found === undefined))
    default:
      throw new Error(`Unknown operator ${operator}`)
  }
}

/** Whether one of the texts fits one of the patterns, in which `*` is any text. */
const isLike = (texts: Texts, patterns: Texts): boolean =>
  [patterns].flat().some((pattern) => {
    const form = new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)
    return [texts].flat().some((text) => form.test(text))
  })
