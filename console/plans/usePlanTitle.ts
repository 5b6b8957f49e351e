import { readAttributes } from '../data/attributes.ts'
import { useRead } from '../data/useRead.ts'
import { type Titled, useTitles } from '../data/useTitles.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import type { Plan } from './planQuery.ts'

type InGroup = { user_group_id: string; role_id: string }
type Update = {
  primary_user_group_id?: string
  tags?: { add?: string[]; remove?: string[] }
  attributes?: Record<string, string | null>
}
type Change = {
  action?: keyof Texts['plans']['actions']
  assign?: InGroup
  unassign?: InGroup
  update?: Update
}
type Asked = { change?: Change; plan_id?: string }

/** The groups, roles and plans that the request of a plan names. */
function titledIn({ change = {}, plan_id }: Asked): Titled[] {
  const group = change.update?.primary_user_group_id
  return [
    ...(plan_id ? [{ kind: 'plan' as const, id: plan_id }] : []),
    ...(group ? [{ kind: 'user_group' as const, id: group }] : []),
    ...[change.assign, change.unassign].flatMap((given) =>
      given
        ? [
            { kind: 'user_group' as const, id: given.user_group_id },
            { kind: 'role' as const, id: given.role_id },
          ]
        : [],
    ),
  ]
}

type Words = {
  texts: Texts
  nameOf: (record: Titled) => string
  attributes: readonly { name: string; title: string }[]
}

/** What a plan does to each person. */
function changeText(change: Change, words: Words): string {
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
function updateText(update: Update, { texts, nameOf, attributes }: Words): string {
  const { does } = texts.plans
  const { primary_user_group_id: group, tags, attributes: values = {} } = update
  const titleOf = (attribute: string) => attributes.find(({ name }) => name === attribute)?.title ?? attribute
  const parts = [
    ...(group ? [does.move(nameOf({ kind: 'user_group', id: group }))] : []),
    ...(tags?.add?.length ? [does.addTag(tags.add.join(', '))] : []),
    ...(tags?.remove?.length ? [does.removeTag(tags.remove.join(', '))] : []),
    ...Object.entries(values).map(([name, value]) => `${titleOf(name)}: ${value ?? texts.common.none}`),
  ]
  return parts.join(' · ')
}

/** Returns what plans are called: each by its title, else by what it does. */
export function usePlanTitle(plans: readonly Plan[]): (plan: Plan) => string {
  const texts = useTexts()
  const untitled = plans.filter(({ title }) => !title).map(({ request }) => request as Asked)
  const nameOf = useTitles(untitled.flatMap(titledIn))
  const hasAttributes = untitled.some(({ change }) => change?.update?.attributes)
  const { data: attributes = [] } = useRead(hasAttributes ? 'attributes' : null, readAttributes)
  return ({ title, kind, request }) => {
    if (title) return title
    const { change, plan_id } = request as Asked
    if (change) return changeText(change, { texts, nameOf, attributes })
    const undone = plan_id && nameOf({ kind: 'plan', id: plan_id })
    // A plan without a title is called by its id there.
    return undone && undone !== plan_id ? texts.plans.does.takeBack(undone) : texts.plans.kinds[kind]
  }
}
