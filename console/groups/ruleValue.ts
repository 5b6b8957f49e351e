// What the form of a rule edits, and what is sent of it. Pure.
import type { Schemas } from '../data/api.ts'
import { type Condition, conditionFrom, conditionToSend, emptyCondition } from './conditions.ts'

type Rule = Schemas['Rule']
/** What a form edits of a rule. */
export type RuleValue = {
  title: string
  match: Rule['match']
  enabled: boolean
  conditions: readonly Condition[]
  except_user_ids: readonly string[]
}
/** The same, as it is sent. */
export type Sent = {
  title: string
  match: Rule['match']
  enabled: boolean
  conditions: Rule['conditions']
  except_user_ids: string[]
}

/** What the form shows of a rule. */
export const ruleFrom = ({ title, match, enabled, conditions, except_user_ids }: Rule): RuleValue => ({
  title,
  match,
  enabled,
  conditions: conditions.map(conditionFrom),
  except_user_ids,
})
/** What the form of a new rule begins with. */
export const emptyRule: RuleValue = {
  title: '',
  match: 'ALL',
  enabled: true,
  conditions: [emptyCondition('ATTRIBUTE:department')],
  except_user_ids: [],
}

/** What is sent of the fields that have changed. */
export const toSend = ({ conditions, except_user_ids, ...rest }: Partial<RuleValue>): Partial<Sent> => ({
  ...rest,
  ...(conditions ? { conditions: conditions.map(conditionToSend) } : {}),
  ...(except_user_ids ? { except_user_ids: [...except_user_ids] } : {}),
})

/** What a preview asks for: who matches, without those who never get the role. */
export const previewOf = ({ match, conditions, except_user_ids }: RuleValue, group: string, role: string) => ({
  match,
  conditions: conditions.map(conditionToSend),
  except_user_ids: [...except_user_ids],
  user_group_id: group,
  role_id: role,
})
