// The conditions of a rule, as the builder has them. Pure.
import type { Schemas } from '../data/api.ts'

type Stored = Schemas['Rule']['conditions'][number]
export type Operator = Stored['operator']

/** A condition in the builder: values stand in one text, a line each. */
export type Condition = { field: string; operator: Operator; values: string }

export const fields = [
  'EMAIL_DOMAIN',
  'TAG',
  'ROLE',
  'PRIMARY_USER_GROUP',
  'PREFERRED_LANGUAGE',
  'USERNAME',
  'EXTERNAL_ID',
] as const

const all = ['EQUALS', 'NOT_EQUALS', 'STARTS_WITH', 'CONTAINS', 'IS_SET', 'IS_NOT_SET'] as const

const operators: Readonly<Record<string, readonly Operator[]>> = {
  ROLE: ['EQUALS', 'NOT_EQUALS'],
  PRIMARY_USER_GROUP: ['EQUALS', 'NOT_EQUALS'],
  USERNAME: ['STARTS_WITH', 'IS_SET', 'IS_NOT_SET'],
  EXTERNAL_ID: ['STARTS_WITH', 'IS_SET', 'IS_NOT_SET'],
  PREFERRED_LANGUAGE: ['EQUALS', 'NOT_EQUALS', 'IS_SET', 'IS_NOT_SET'],
}

/** How a field can be compared. */
export const operatorsOf = (field: string): readonly Operator[] => operators[field] ?? all

/** Whether a comparison needs values. */
export const needsValues = (operator: Operator): boolean => operator !== 'IS_SET' && operator !== 'IS_NOT_SET'

/** Whether a comparison is with a part of a value. */
export const isPartOf = (operator: Operator): boolean => operator === 'STARTS_WITH' || operator === 'CONTAINS'

export const mostConditions = 10
export const mostValues = 100
export const emptyCondition = (field: string): Condition => ({
  field,
  operator: operatorsOf(field)[0] ?? 'EQUALS',
  values: '',
})

export const conditionFrom = ({ field, operator, values }: Stored): Condition => ({
  field,
  operator,
  values: (values ?? []).join('\n'),
})

/** The values of a condition, each once. */
export const linesOf = (values: string): string[] => [
  ...new Set(
    values
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

export const isComplete = ({ operator, values }: Condition): boolean =>
  !needsValues(operator) || linesOf(values).length > 0

export const conditionToSend = ({ field, operator, values }: Condition): Stored => ({
  field,
  operator,
  ...(needsValues(operator) ? { values: linesOf(values) } : { values: [] }),
})
