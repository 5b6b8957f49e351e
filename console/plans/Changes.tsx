import { useEffect, useRef } from 'preact/hooks'
import { changeQuery, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import { momentText, plainDateText } from '../data/moments.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead } from '../data/useRead.ts'
import { groupRoleIn, type Titled, titledIn, titledInChanges, useTitles } from '../data/useTitles.ts'
import { Badge } from '../parts/Badge.tsx'
import { BeforeAfter, fieldText } from '../parts/Events.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { languageName } from '../texts/languageName.ts'
import { type Texts, textOf, useTexts } from '../texts/texts.ts'
import { attributeIn, type Change, outcomeTones, type Plan, reasonOf, rowIn } from './planQuery.ts'

const actions = [
  'CREATE',
  'UPDATE',
  'LOCK',
  'UNLOCK',
  'DEACTIVATE',
  'REACTIVATE',
  'DELETE',
  'RESTORE',
  'ASSIGN',
  'UNASSIGN',
] as const
const outcomes = ['PLANNED', 'DONE', 'SKIPPED', 'FAILED'] as const

/** Every change of a plan, with each value before and after, and what has become of it. */
export function Changes({ plan, query }: { plan: Plan; query: URLSearchParams }) {
  const texts = useTexts()
  const action = actions.find((one) => one === query.get('action')) ?? ''
  const outcome = outcomes.find((one) => one === query.get('outcome')) ?? ''
  const list = useGrowing(`changes ${plan.id} ${action} ${outcome}`, async (page, signal) => {
    const asked = { ...page, ...(action ? { action: [action] } : {}), ...(outcome ? { outcome: [outcome] } : {}) }
    const params = { path: { plan_id: plan.id }, query: asked }
    const { data } = await api.GET('/api/admin/organisations/v4/plans/{plan_id}/changes', { signal, params })
    return { items: data.changes, next: data.pagination.next_cursor }
  })
  // As the plan goes on, the results change. Further pages that somebody has opened stay as they are.
  const shownDone = useRef(plan.counts.done)
  const { isGrown } = list
  const { again } = list.first
  useEffect(() => {
    if (isGrown || shownDone.current === plan.counts.done) return
    shownDone.current = plan.counts.done
    again()
  }, [plan.counts.done, isGrown, again])
  const titleOf = useTitles(titledInChanges(list.items.flatMap(({ fields }) => fields)))
  const { data: attributes = [] } = useRead('attributes', readAttributes)
  const columns: Column<Change>[] = [
    { key: 'who', title: texts.plans.who, isHeader: true, cell: (change) => <Who plan={plan} change={change} /> },
    {
      key: 'action',
      title: texts.plans.action,
      cell: (change) => <span class="word">{texts.plans.actions[change.action]}</span>,
    },
    {
      key: 'values',
      title: texts.plans.values,
      cell: (change) => <Values change={change} titleOf={titleOf} attributes={attributes} />,
    },
    { key: 'outcome', title: texts.plans.outcome, cell: (change) => <Outcome plan={plan} change={change} /> },
  ]
  const isLater = plan.state === 'WAITING' || plan.state === 'CHECKING'
  const none = isLater
    ? texts.plans.changesLater
    : action || outcome
      ? texts.plans.noChangesHere
      : texts.plans.noChangesAtAll
  const all = { value: '' as const, text: texts.common.all }
  return (
    <section class="card" aria-labelledby="changes">
      <h2 id="changes">{texts.plans.changes}</h2>
      <div class="toolbar">
        <SelectField<Change['action'] | ''>
          name="action"
          label={texts.plans.action}
          value={action}
          onValue={(next) => changeQuery({ action: next || null })}
          options={[all, ...actions.map((one) => ({ value: one, text: texts.plans.actions[one] }))]}
        />
        <SelectField<Change['outcome'] | ''>
          name="outcome"
          label={texts.plans.outcome}
          value={outcome}
          onValue={(next) => changeQuery({ outcome: next || null })}
          options={[all, ...outcomes.map((one) => ({ value: one, text: texts.plans.outcomes[one] }))]}
        />
      </div>
      <Growing list={list} none={none} more={texts.plans.moreChanges}>
        {(changes) => (
          <Table
            caption={texts.plans.changes}
            columns={columns}
            rows={changes}
            keyOf={({ number }) => String(number)}
          />
        )}
      </Growing>
    </section>
  )
}

/** Whom a change is about. Somebody who is created has no page before that. */
function Who({ plan, change: { user, fields, action, outcome, row } }: { plan: Plan; change: Change }) {
  const texts = useTexts()
  const number = rowIn(plan, row)
  const given = (field: string) => fields.find((one) => one.field === field)?.after
  const planned = [given('first_name'), given('last_name')].filter(Boolean).join(' ')
  const name = user ? `${user.first_name} ${user.last_name}`.trim() || user.id : planned
  const isThere = user && !user.is_deleted && !(action === 'CREATE' && outcome !== 'DONE')
  return (
    <>
      {isThere ? (
        <LinkTo to={linkTo('person', { id: user.id })}>{name}</LinkTo>
      ) : (
        <span dir="auto">{name || texts.plans.gonePerson}</span>
      )}
      {number !== undefined && <span class="note">{texts.plans.row(number)}</span>}
      {row === null && plan.kind === 'FILE' && <span class="note">{texts.plans.notInFile}</span>}
    </>
  )
}

type TitleOf = (record: Titled) => string
type Attribute = Awaited<ReturnType<typeof readAttributes>>[number]

/** What a field is called: attributes, and roles in groups, by their titles. */
function fieldName(field: string, texts: Texts, titleOf: TitleOf, attributes: readonly Attribute[]): string {
  const [group, role] = groupRoleIn(field) ?? []
  if (group && role) return `${texts.plans.roleInGroup}: ${titleOf(role)}, ${titleOf(group)}`
  const attribute = attributeIn(field)
  if (attribute === undefined) return textOf(texts.fields, field)
  return attributes.find(({ name }) => name === attribute)?.title ?? attribute
}

type ValuesProperties = { change: Change; titleOf: TitleOf; attributes: readonly Attribute[] }

function Values({ change: { action, fields }, titleOf, attributes }: ValuesProperties) {
  const texts = useTexts()
  if (fields.length === 0) return null
  const shown = (field: string, value: unknown) => {
    const titled = titledIn(field, value)
    return titled ? titleOf(titled) : valueText(field, value, texts, attributes)
  }
  return (
    <dl class="changes">
      {fields.map(({ field, before, after }) => (
        <div key={field}>
          <dt>{fieldName(field, texts, titleOf, attributes)}</dt>
          <dd dir="auto">
            {action === 'CREATE' ? (
              shown(field, after)
            ) : (
              <BeforeAfter before={shown(field, before)} after={shown(field, after)} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A value as the person's page shows it. */
function valueText(field: string, value: unknown, texts: Texts, attributes: readonly Attribute[]): string {
  if (typeof value !== 'string' || value === '') return fieldText(field, value, texts)
  if (field === 'deletion_at') return momentText(value, texts)
  if (field === 'preferred_language') return languageName(value, texts)
  const isDate = attributes.find(({ name }) => name === attributeIn(field))?.type === 'DATE'
  return isDate ? plainDateText(value, texts) : fieldText(field, value, texts)
}

function Outcome({ plan, change }: { plan: Plan; change: Change }) {
  const texts = useTexts()
  const { outcome } = change
  const reason = reasonOf(plan, change, texts)
  return (
    <>
      <Badge tone={outcomeTones[outcome]}>{texts.plans.outcomes[outcome]}</Badge>
      {reason && <span class="note">{reason}</span>}
    </>
  )
}
