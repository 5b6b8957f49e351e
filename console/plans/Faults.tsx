import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { saveFile } from '../data/saveFile.ts'
import { useAction } from '../data/useAction.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead } from '../data/useRead.ts'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { readAttributes } from '../people/PeopleFilterMenu.tsx'
import { useTexts } from '../texts/texts.ts'
import { csvRows, csvText } from './csv.ts'
import { faultText, personIn } from './faultText.ts'
import { type Plan, rowIn } from './planQuery.ts'
import { type SaidInFile, saidInFile } from './sentFiles.ts'
import { usePlanTitle } from './usePlanTitle.ts'

/** A fault, with the name of the person whom it is about, as far as it can be read. */
type Fault = Schemas['PlanFault'] & { person?: string; name?: string | undefined; said?: SaidInFile | undefined }
const path = '/api/admin/organisations/v4/plans/{plan_id}/faults'

/** For whom nothing can be done, and why. */
export function Faults({ plan }: { plan: Plan }) {
  const texts = useTexts()
  const titleOf = usePlanTitle([plan])
  const says = useFaultText(plan)
  const list = useGrowing(`faults ${plan.id} ${plan.counts.faults}`, async (page, signal) => {
    const params = { path: { plan_id: plan.id }, query: page }
    const { data } = await api.GET(path, { signal, params })
    // Text is answered only to those who ask for CSV.
    if (typeof data === 'string') return { items: [], next: null }
    return {
      items: await Promise.all(data.faults.map((fault) => withName(plan.id, fault))),
      next: data.pagination.next_cursor,
    }
  })
  const columns: Column<Fault>[] = [
    { key: 'where', title: texts.plans.where, isHeader: true, cell: (fault) => <Where plan={plan} fault={fault} /> },
    {
      key: 'what',
      title: texts.plans.what,
      cell: (fault) => (
        <>
          {says(fault)}
          {fault.said?.value && (
            <span class="note" dir="auto">
              {texts.plans.inTheFile(fault.said.value)}
            </span>
          )}
          <Detail>{fault.detail}</Detail>
        </>
      ),
    },
  ]
  const { run, isBusy, problem } = useAction()
  const save = () =>
    run(async () => {
      const params = { path: { plan_id: plan.id }, query: { format: 'CSV' as const } }
      const { data } = await api.GET(path, { params, parseAs: 'text' })
      const [, ...faults] = csvRows(String(data), ',')
      const lines = faults.map(([row = '', column = '', code = '', detail = '']) => [
        String(rowIn(plan, row === '' ? null : Number(row)) ?? ''),
        column,
        says({ code, detail }),
        code,
        detail,
      ])
      // With a mark, by which spreadsheets know UTF-8.
      saveFile(texts.plans.faultsFile(titleOf(plan)), `\uFEFF${csvText([texts.plans.faultsHead, ...lines])}`)
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
      <p class="hint">{plan.kind === 'FILE' ? texts.plans.faultsOfFileMean : texts.plans.faultsMean}</p>
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

/** Returns what a fault of a plan says. */
export function useFaultText(
  plan: Pick<Plan, 'kind' | 'request'>,
): (fault: { code: string; detail: string }) => string {
  const texts = useTexts()
  const { data: attributes = [] } = useRead('attributes', readAttributes)
  const rowText = (row: number) => texts.plans.row(rowIn(plan, row) ?? row)
  return (fault) => faultText(fault, { texts, rowText, attributes })
}

/** What the service says in English, for those who are asked for help. */
export function Detail({ children }: { children: string }) {
  const texts = useTexts()
  return (
    <details class="note">
      <summary>{texts.problems.details}</summary>
      <span lang="en">{children}</span>
    </details>
  )
}

/** The person at fault, or the row and the column. */
function Where({ plan, fault: { row, column, person, name, said } }: { plan: Plan; fault: Fault }) {
  const texts = useTexts()
  if (person) return <LinkTo to={linkTo('person', { id: person })}>{name ?? person}</LinkTo>
  const number = rowIn(plan, row)
  const places = [number === undefined ? [] : texts.plans.row(number), column ?? []].flat()
  return (
    <>
      {places.join(' · ') || texts.plans.noRow}
      {said && (
        <span class="note" dir="auto">
          {said.who}
        </span>
      )}
    </>
  )
}

/** Reads what the person is called whom a fault is about, or what the file says in its row. Also those who are being deleted have their names here. */
async function withName(plan: string, fault: Schemas['PlanFault']): Promise<Fault> {
  const person = personIn(fault)
  if (person === undefined) return { ...fault, said: await saidInFile(plan, fault.row, fault.column) }
  const params = { path: { user_id: person } }
  // A name is a help, not what was asked for: the id stays.
  const name = await api.GET('/api/admin/users/v4/users/{user_id}', { params }).then(
    ({ data }) => `${data.first_name} ${data.last_name}`.trim() || undefined,
    () => undefined,
  )
  return { ...fault, person, name }
}
