import { attributeIn } from '../people/rules/matching.ts'
import { bytesOfRule, type Rule, readRules, ruleLimits, rules } from '../people/rules/rule.ts'
import { conditionFaults } from '../people/rules/ruleInput.ts'
import { isDisabling, ruleFrom } from '../people/rules/ruleRules.ts'
import { textOfKey } from '../table/items.ts'
import type { FileRecord } from './directoryFile.ts'
import type { Draft } from './draft.ts'
import { type AddFault, addFaultTo, checkFixed, checkNamed, isLeftOut } from './draftFaults.ts'
import { checkRole } from './draftRoles.ts'
import { idFromText } from './idFromText.ts'
import type { ImportFault } from './importErrors.ts'
import { patchedRecord } from './wantedRecord.ts'

type RuleInFile = FileRecord<'user_group_rules'>

/** The id of a rule: the one in the file, or one that follows from what it gives, so that a second import finds it. */
const idOfRule = ({ id, user_group_id, role_id, title }: RuleInFile['value']): string =>
  id ?? idFromText(`rule:${[user_group_id, role_id, title].join('\n')}`)

/** Decides what becomes of the rules of the file. The users of a document are known by now, as rules can except them. */
export async function draftRules(draft: Draft): Promise<void> {
  const { file, context } = draft
  if (file.user_group_rules.length === 0) return
  const stored = await readRules(context.store)
  const after = new Map(stored.rules.map((rule) => [rule.id, rule]))
  for (const record of file.user_group_rules) {
    const addFault = addFaultTo(draft, 'user_group_rules', record.index)
    const before = stored.rules.find(({ id }) => id === idOfRule(record.value))
    const { data, outcome } = wantedRule(draft, record.value, before)
    checkStored(data, before, addFault)
    if (outcome !== 'unchanged') checkGiven(draft, { before, data }, addFault)
    checkConditions(draft, data, addFault)
    if (!file.isInLines) checkExceptions(draft, record.value, addFault)
    after.set(data.id, data)
    draft.summary.user_group_rules[draft.written.get(textOfKey(rules.key(data.id))) ?? outcome]++
    if (outcome !== 'unchanged') draft.rules.push({ before, after: data, outcome })
  }
  checkLimits([...after.values()], addFaultTo(draft, 'user_group_rules', null))
}

/** Adds faults if a rule is being deleted, or would change its group or role. */
function checkStored(data: Rule, stored: Rule | undefined, addFault: AddFault): void {
  if (stored?.deleting) addFault('id', 'must not be the id of a rule that is being deleted')
  checkFixed(['user_group_id', 'role_id'], { data, stored }, addFault)
}

/** A rule as the file wants it. Users who are gone are left out of its exceptions. */
function wantedRule(draft: Draft, value: RuleInFile['value'], before: Rule | undefined) {
  const { now } = draft.context
  const fresh = ruleFrom(value, { id: idOfRule(value), now, editor: null })
  const except_user_ids = fresh.except_user_ids.filter((id) => draft.users.get(id)?.kind !== 'gone')
  const { id, conditions } = fresh
  const patch = { ...value, id, conditions, ...(value.except_user_ids ? { except_user_ids } : {}) }
  const { data, outcome } = patchedRecord(patch, before, fresh, now)
  if (!before || outcome === 'unchanged') return { data, outcome }
  return { data: { ...data, updated_by: null, version: before.version + 1 }, outcome }
}

/** Adds faults of the group and the role of a rule that is new or changes. */
function checkGiven(
  draft: Draft,
  { before, data }: { before: Rule | undefined; data: Rule },
  addFault: AddFault,
): void {
  const { user_group_id, role_id, enabled } = data
  const { groups, organisation } = draft.structure
  const { ROOT, ALL_USERS } = organisation.predefined
  checkNamed(draft, 'user_groups', user_group_id, addFault, 'user_group_id')
  if (user_group_id === ROOT || user_group_id === ALL_USERS)
    addFault('user_group_id', 'must not be the root or the group of all users')
  const isBegun = !before || (enabled && !before.enabled)
  if (isBegun && groups.get(user_group_id)?.status === 'ARCHIVED')
    addFault('user_group_id', 'names a user group that is archived')
  const isGiven = !before || !isDisabling(before, data)
  checkRole(draft, { role_id, scope: 'USER_GROUPS', isGiven }, addFault)
}

/** Adds faults of conditions, and of the attribute definitions and groups that they name. */
function checkConditions(draft: Draft, { conditions }: Rule, addFault: AddFault): void {
  for (const { fault } of conditionFaults(conditions)) addFault(fault.property, fault.message)
  for (const [nth, { field, values }] of conditions.entries()) {
    checkAttribute(draft, attributeIn(field), addFault, `conditions.${nth}.field`)
    const groups = field === 'PRIMARY_USER_GROUP' ? values : []
    for (const [n, id] of groups.entries())
      checkNamed(draft, 'user_groups', id, addFault, `conditions.${nth}.values.${n}`)
  }
}

function checkAttribute(draft: Draft, name: string | undefined, addFault: AddFault, property: string): void {
  if (name === undefined || draft.structure.definitions.has(name)) return
  if (!isLeftOut(draft, 'attribute_definitions', name)) addFault(property, 'must name an attribute definition')
}

/** Adds faults of users that a rule excepts and that are neither stored nor in the file. */
function checkExceptions(draft: Draft, { except_user_ids }: RuleInFile['value'], addFault: AddFault): void {
  for (const [n, id] of (except_user_ids ?? []).entries())
    checkNamed(draft, 'users', id, addFault, `except_user_ids.${n}`)
}

/** The same for a file of lines, whose users come after its rules. `isInFile` says whether it has a line of a user. */
export function exceptionFaults(head: Draft, isInFile: (user: string) => boolean): ImportFault[] {
  const faults: ImportFault[] = []
  for (const { index, value } of head.file.user_group_rules)
    for (const [n, id] of (value.except_user_ids ?? []).entries())
      if (!head.users.has(id) && !isInFile(id))
        faults.push({
          section: 'user_group_rules',
          index,
          property: `except_user_ids.${n}`,
          reason: 'must name a user',
        })
  return faults
}

/** Adds faults if there would be more rules than allowed, or too large ones. */
function checkLimits(rules: readonly Rule[], addFault: AddFault): void {
  const groups = Map.groupBy(rules, ({ user_group_id }) => user_group_id)
  const most = Math.max(...[...groups.values()].map(({ length }) => length))
  const sizes = rules.map(bytesOfRule)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const tooMany = (what: string, count: number, allowed: number): void => {
    if (count > allowed) addFault('', `would be ${count} ${what}, and ${allowed} are allowed`)
  }
  tooMany('rules', rules.length, ruleLimits.rules)
  tooMany('rules of one user group', most, ruleLimits.rulesOfGroup)
  tooMany('bytes of one rule', Math.max(...sizes), ruleLimits.bytesOfRule)
  tooMany('bytes of all rules', bytes, ruleLimits.bytes)
}
