// What a plan does to each person, in words. Pure.
import { fieldText } from '../data/fieldText.ts'
import type { Titled } from '../data/useTitles.ts'
import { type Texts, textOf } from '../texts/texts.ts'

type InGroup = { user_group_id: string; role_id: string }
type Update = {
  primary_user_group_id?: string
  tags?: { add?: string[]; remove?: string[] } | string[] | null
  attributes?: Record<string, string | null> | { name: string; value: string | null }[]
  [field: string]: unknown
}
type Change = {
  action?: keyof Texts['plans']['actions']
  assign?: InGroup
  unassign?: InGroup
  update?: Update
}
type Named = { user_group_id?: string; role_id?: string }
/** What the request of a plan names. */
export type Asked = { select?: Named; absent_among?: Named; change?: Change; plan_id?: string }

/** The groups, roles and plans that the request of a plan names. */
export function titledIn({ change = {}, plan_id, select = {}, absent_among = {} }: Asked): Titled[] {
  const group = change.update?.primary_user_group_id
  return [
    ...(plan_id ? [{ kind: 'plan' as const, id: plan_id }] : []),
    ...(group ? [{ kind: 'user_group' as const, id: group }] : []),
    ...[change.assign, change.unassign, select, absent_among].flatMap((given) => [
      ...(given?.user_group_id ? [{ kind: 'user_group' as const, id: given.user_group_id }] : []),
      ...(given?.role_id ? [{ kind: 'role' as const, id: given.role_id }] : []),
    ]),
  ]
}

/** What words are made of: the texts, and the titles of records. */
export type Words = {
  texts: Texts
  nameOf: (record: Titled) => string
  attributes: readonly { name: string; title: string }[]
}

/** What a plan does to each person. */
export function changeText(change: Change, words: Words): string {
  const { texts } = words
  const { does, actions } = texts.plans
  if (change.action) return actions[change.action]
  if (change.assign) return inGroup(does.assign, change.assign, words)
  if (change.unassign) return inGroup(does.unassign, change.unassign, words)
  return (change.update && updateText(change.update, words)) || actions.UPDATE
}

const inGroup = (say: Texts['plans']['does']['assign'], { user_group_id, role_id }: InGroup, { nameOf }: Words) =>
  say(nameOf({ kind: 'role', id: role_id }), nameOf({ kind: 'user_group', id: user_group_id }))

/** What is given to each person, as far as there are words for it. */
function updateText(update: Update, { texts, nameOf, attributes: known }: Words): string {
  const { does } = texts.plans
  const { primary_user_group_id: group, tags, attributes = {}, ...others } = update
  const values = Array.isArray(attributes)
    ? Object.fromEntries(attributes.map(({ name, value }) => [name, value]))
    : attributes
  const titleOf = (attribute: string) => known.find(({ name }) => name === attribute)?.title ?? attribute
  const { add: added = [], remove: removed = [] } = tags && !Array.isArray(tags) ? tags : {}
  const parts = [
    ...(group ? [does.move(nameOf({ kind: 'user_group', id: group }))] : []),
    ...(added.length > 0 ? [does.addTag(added.join(', '))] : []),
    ...(removed.length > 0 ? [does.removeTag(removed.join(', '))] : []),
    ...(Array.isArray(tags) ? [`${texts.fields.tags}: ${fieldText('tags', tags, texts)}`] : []),
    ...Object.entries(values).map(([name, value]) => `${titleOf(name)}: ${value ?? texts.common.none}`),
    ...Object.entries(others).map(([name, value]) => `${textOf(texts.fields, name)}: ${fieldText(name, value, texts)}`),
  ]
  return parts.join(' · ')
}
