// What was chosen for a plan, in words. Pure.
import { fieldText } from '../data/fieldText.ts'
import { textOf } from '../texts/texts.ts'
import { type Asked, changeText, type Words } from './changeText.ts'
import { limits } from './fileRequest.ts'
import { attributeIn, type Plan } from './planQuery.ts'

type Selection = Partial<{
  all: true
  user_ids: { count: number }
  search_term: string
  status: string | string[]
  role: string | string[]
  attribute_technical_name: string
  attribute_value: string
  tag: string
  user_group_id: string
  role_id: string
}>

type Request = Asked & {
  select?: Selection
  absent_among?: Selection
  match_by?: string
  absent?: string
  include_administrators?: boolean
  empty?: string
  pending?: string
  unlock?: boolean
  on_fault?: string
  limits?: Record<string, number>
  columns?: Record<string, string | null>
}
type Fact = [name: string, value: string]

/** What was chosen, by name. A plan that takes another one back has no choices. */
export function choicesOf({ kind, request }: Pick<Plan, 'kind' | 'request'>, words: Words): Fact[] {
  if (kind === 'UNDO') return []
  const asked = request as Request
  const own = kind === 'FILE' ? ofFile(asked, words) : ofSelection(asked, words)
  return [...own, ...limitsOf(asked, words)]
}

const ofSelection = ({ select, change }: Request, words: Words): Fact[] => {
  const { plans } = words.texts
  return [
    [plans.who, selectionText(select ?? {}, words)],
    ...(change ? [[plans.action, changeText(change, words)] satisfies Fact] : []),
  ]
}

function ofFile(asked: Request, words: Words): Fact[] {
  const { texts } = words
  const { files, plans, common } = texts
  const { match_by = 'EXTERNAL_ID', absent = 'KEEP', absent_among, columns = {} } = asked
  const said: [boolean | undefined, string][] = [
    [asked.include_administrators, plans.withAdministrators],
    [asked.empty === 'CLEAR', files.clears],
    [asked.pending === 'RESTORE', files.restores],
    [asked.unlock, files.unlocks],
    [asked.on_fault === 'REFUSE', plans.refusesFaults],
  ]
  const named = Object.entries(columns).map(
    ([header, field]) => `${header}: ${field === null ? plans.leftOut : fieldTitle(field, words)}`,
  )
  return [
    [files.matchBy, textOf(files.keys, match_by)],
    [files.absent, textOf(files.absences, absent)],
    ...(absent_among && absent !== 'KEEP' ? [[files.among, selectionText(absent_among, words)] satisfies Fact] : []),
    ...said.flatMap(([isSaid, text]) => (isSaid ? [[text, common.yes] satisfies Fact] : [])),
    ...(named.length > 0 ? [[common.columns, named.join(' · ')] satisfies Fact] : []),
  ]
}

const limitsOf = ({ limits: given = {} }: Request, { texts }: Words): Fact[] =>
  Object.entries(given).map(([name, limit]) =>
    Object.hasOwn(limits, name)
      ? [textOf(texts.files.limits, name), texts.common.percent(limit)]
      : [texts.plans.mostChanges, texts.number(limit)],
  )

/** Which people are meant. */
function selectionText(selection: Selection, words: Words): string {
  const { texts, nameOf } = words
  const { all, user_ids, search_term, status, role, attribute_technical_name, attribute_value, tag } = selection
  const { user_group_id: group, role_id } = selection
  const inWords = (field: 'status' | 'role', value: string | string[]) =>
    `${texts.fields[field]}: ${[value]
      .flat()
      .map((one) => fieldText(field, one, texts))
      .join(', ')}`
  return [
    all && texts.files.everybody,
    user_ids && texts.plans.chosenPeople(user_ids.count),
    search_term && `${texts.common.search}: ${search_term}`,
    status && inWords('status', status),
    role && inWords('role', role),
    attribute_technical_name && `${fieldTitle(`attribute:${attribute_technical_name}`, words)}: ${attribute_value}`,
    tag && `${texts.plans.tag}: ${tag}`,
    group && `${texts.fields.user_group_id}: ${nameOf({ kind: 'user_group', id: group })}`,
    role_id && `${texts.plans.roleInGroup}: ${nameOf({ kind: 'role', id: role_id })}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function fieldTitle(field: string, { texts, attributes }: Words): string {
  const attribute = attributeIn(field)
  if (attribute === undefined) return textOf(texts.fields, field)
  return attributes.find(({ name }) => name === attribute)?.title ?? attribute
}
