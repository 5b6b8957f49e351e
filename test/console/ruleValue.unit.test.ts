import { expect, it } from 'vitest'
import { emptyRule, previewOf, ruleFrom } from '../../console/groups/ruleValue.ts'

it('a rule is edited and previewed with the people whom it leaves out', () => {
  const rule = { title: 'IT', match: 'ALL', enabled: true, conditions: [], except_user_ids: ['ada'] } as const
  const value = ruleFrom(rule as unknown as Parameters<typeof ruleFrom>[0])
  expect(value.except_user_ids).toEqual(['ada'])
  expect(previewOf(value, 'sales', 'member').except_user_ids).toEqual(['ada'])
  expect(emptyRule.except_user_ids).toEqual([])
})
