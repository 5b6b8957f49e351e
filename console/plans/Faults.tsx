import { api, type Schemas } from '../data/api.ts'
import { saveFile } from '../data/saveFile.ts'
import { useAction } from '../data/useAction.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Growing } from '../parts/Growing.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { textOf, useTexts } from '../texts/texts.ts'
import type { Plan } from './planQuery.ts'

type Fault = Schemas['PlanFault']
const path = '/api/admin/organisations/v4/plans/{plan_id}/faults'

/** For whom nothing can be done, and why. */
export function Faults({ plan }: { plan: Plan }) {
  const texts = useTexts()
  const list = useGrowing(`faults ${plan.id} ${plan.counts.faults}`, async (page, signal) => {
    const params = { path: { plan_id: plan.id }, query: page }
    const { data } = await api.GET(path, { signal, params })
    // Text is answered only to those who ask for CSV.
    if (typeof data === 'string') return { items: [], next: null }
    return { items: data.faults, next: data.pagination.next_cursor }
  })
  const columns: Column<Fault>[] = [
    {
      key: 'where',
      title: texts.plans.where,
      isHeader: true,
      cell: ({ row, column }) =>
        [row === null ? [] : texts.plans.row(row), column ?? []].flat().join(' · ') || texts.plans.noRow,
    },
    {
      key: 'what',
      title: texts.plans.what,
      cell: ({ code, detail }) => (
        <>
          {textOf(texts.errors, code)}
          <span class="note" lang="en">
            {detail}
          </span>
        </>
      ),
    },
  ]
  const { run, isBusy, problem } = useAction()
  const save = () =>
    run(async () => {
      const params = { path: { plan_id: plan.id }, query: { format: 'CSV' as const } }
      const { data } = await api.GET(path, { params, parseAs: 'text' })
      saveFile(`${plan.id}-faults.csv`, String(data))
    })
  return (
    <section class="card" aria-labelledby="faults">
      <div class="card-head">
        <h2 id="faults">{texts.plans.counts.faults}</h2>
        <button type="button" aria-disabled={isBusy} onClick={save}>
          {texts.plans.saveFaults}
        </button>
      </div>
      <Problem problem={problem} />
      <p class="hint">{texts.plans.faultsMean}</p>
      <Growing list={list} none={texts.plans.noFaults} more={texts.plans.moreFaults}>
        {(faults) => (
          <Table
            caption={texts.plans.counts.faults}
            columns={columns}
            rows={faults}
            keyOf={({ row, column, detail }) => `${row} ${column} ${detail}`}
          />
        )}
      </Growing>
    </section>
  )
}
