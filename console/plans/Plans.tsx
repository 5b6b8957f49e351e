import { changeQuery, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { useList } from '../data/useList.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { Badge } from '../parts/Badge.tsx'
import { Empty } from '../parts/Empty.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import type { Column } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { makersOf, makerText, type Plan, type PlanState, states, stateText, stateTone } from './planQuery.ts'
import { usePlanTitle } from './usePlanTitle.ts'

/** All plans of the last weeks, newest first. */
export default function Plans({ query }: ScreenProperties) {
  const texts = useTexts()
  const cursor = query.get('page')
  const state = states.find((one) => one === query.get('state')) ?? ''
  const { page } = useList(`plans ${state}`, cursor, async (paging, signal) => {
    const parameters = { ...paging, ...(state ? { state: [state] } : {}) }
    return (await api.GET('/api/admin/organisations/v4/plans', { signal, params: { query: parameters } })).data
  })
  const plans = page.data?.plans ?? []
  const titleOf = usePlanTitle(plans)
  const names = usePeopleNames(makersOf(plans))
  const columns: Column<Plan>[] = [
    {
      key: 'title',
      title: texts.plans.name,
      isHeader: true,
      cell: (plan) => (
        <>
          <a href={linkTo('plan', { id: plan.id })} dir="auto">
            {titleOf(plan)}
          </a>
          <span class="note">{texts.plans.kinds[plan.kind]}</span>
        </>
      ),
    },
    { key: 'state', title: texts.plans.state, cell: (plan) => <StateBadge plan={plan} /> },
    { key: 'planned', title: texts.plans.changes, cell: ({ counts }) => texts.number(counts.planned) },
    { key: 'done', title: texts.plans.outcomes.DONE, cell: ({ counts }) => texts.number(counts.done) },
    {
      key: 'created',
      title: texts.plans.created,
      cell: ({ created_at, created_by }) => (
        <>
          <Time at={created_at} />
          <span class="note" dir="auto">
            {makerText(created_by, names, texts)}
          </span>
        </>
      ),
    },
  ]
  return (
    <Page
      title={texts.plans.title}
      intro={texts.plans.intro}
      actions={
        <a class="button primary" href={linkTo('new-plan')}>
          {texts.files.from}
        </a>
      }
    >
      <div class="toolbar">
        <SelectField<PlanState | ''>
          name="state"
          label={texts.plans.state}
          value={state}
          onValue={(next) => changeQuery({ state: next || null, page: null })}
          options={[
            { value: '', text: texts.common.all },
            ...states.map((one) => ({ value: one, text: texts.plans.states[one] })),
          ]}
        />
      </div>
      <Loaded read={page}>
        {({ plans, pagination }) => (
          <PagedTable
            empty={
              <Empty title={texts.plans.none}>
                <p>{texts.plans.noneAdvice}</p>
                <a class="button" href={linkTo('people')}>
                  {texts.plans.toPeople}
                </a>
              </Empty>
            }
            caption={texts.plans.title}
            columns={columns}
            rows={plans}
            keyOf={({ id }) => id}
            isOld={page.isOld}
            cursor={cursor}
            next={pagination.next_cursor}
          />
        )}
      </Loaded>
    </Page>
  )
}

export function StateBadge({ plan }: { plan: Plan }) {
  const texts = useTexts()
  return <Badge tone={stateTone(plan)}>{stateText(plan, texts)}</Badge>
}
