import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import { readNames } from '../data/readNames.ts'
import { saveFile } from '../data/saveFile.ts'
import { useAction } from '../data/useAction.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead } from '../data/useRead.ts'
import { Field } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { type Me, useMe } from '../shell/me.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { csvRows, separators, usualSeparator } from './csv.ts'
import { faultFile } from './faultFile.ts'
import { byRow, commonFaults, cutText, faultText, fewestInCommon, personIn } from './faultText.ts'
import { type Plan, rowIn } from './planQuery.ts'
import { chooseFileOf, hasFile, type SaidInFile, saidInFile, separatorInFile } from './sentFiles.ts'
import { usePlanTitle } from './usePlanTitle.ts'

/** A fault, with the name of the person whom it is about, as far as it can be read. */
type Fault = Schemas['PlanFault'] & { person?: string; name?: string | undefined; said?: SaidInFile | undefined }
const path = '/api/admin/organisations/v4/plans/{plan_id}/faults'

/** For whom nothing can be done, and why. */
export function Faults({ plan }: { plan: Plan }) {
  const texts = useTexts()
  const me = useMe()
  const titleOf = usePlanTitle([plan])
  const says = useFaultText(plan)
  const [chosen, setChosen] = useState(0)
  const list = useGrowing(`faults ${plan.id} ${plan.counts.faults} ${chosen}`, async (page, signal) => {
    const params = { path: { plan_id: plan.id }, query: page }
    const { data } = await api.GET(path, { signal, params })
    // Text is answered only to those who ask for CSV.
    if (typeof data === 'string') return { items: [], next: null }
    return { items: await withNames(plan.id, data.faults, me), next: data.pagination.next_cursor }
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
              {texts.plans.inTheFile(cutText(fault.said.value))}
            </span>
          )}
          <Detail>{fault.detail}</Detail>
        </>
      ),
    },
  ]
  const { run, isBusy, problem } = useAction()
  const save = () =>
    run(async () => saveFile(texts.plans.faultsFile(titleOf(plan)), await fileOfFaults(plan, says, me, texts)))
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
      {plan.kind === 'FILE' && plan.request['format'] !== 'JSONL' && !hasFile(plan.id) && (
        <ChooseOnceMore plan={plan} onChosen={() => setChosen(chosen + 1)} />
      )}
      {plan.kind === 'FILE' && plan.counts.faults >= fewestInCommon && <Common plan={plan} says={says} />}
      {plan.kind === 'FILE' && (
        <p>
          {texts.plans.corrected} <a href={linkTo('new-plan')}>{texts.files.title}</a>
        </p>
      )}
      <Growing list={list} none={texts.plans.noFaults} more={texts.plans.moreFaults}>
        {(faults) => (
          <Table
            caption={texts.plans.counts.faults}
            columns={columns}
            rows={byRow(faults)}
            keyOf={({ row, column, detail }) => `${row} ${column} ${detail}`}
          />
        )}
      </Growing>
    </section>
  )
}

/** The file of a plan is not kept by the service: who chooses it once more sees what it has where a fault is. */
function ChooseOnceMore({ plan, onChosen }: { plan: Plan; onChosen: () => void }) {
  const texts = useTexts()
  const [isOther, setOther] = useState(false)
  const choose = async (file: File | undefined) => {
    if (!file) return
    const isTaken = await chooseFileOf(plan, file)
    setOther(!isTaken)
    if (isTaken) onChosen()
  }
  return (
    <div class="toolbar">
      <Field
        label={texts.plans.chooseFile}
        hint={texts.plans.chooseFileMeans}
        fault={isOther ? texts.plans.otherFile : undefined}
      >
        {(given) => (
          <input
            {...given}
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
        )}
      </Field>
    </div>
  )
}

type Says = (fault: { code: string; detail: string }) => string

/** All faults that the service keeps. */
async function allFaults(plan: Plan, signal: AbortSignal | null = null): Promise<Schemas['PlanFault'][]> {
  const params = { path: { plan_id: plan.id }, query: { format: 'CSV' as const } }
  const { data } = await api.GET(path, { params, parseAs: 'text', signal })
  const [, ...faults] = csvRows(String(data), ',')
  return faults.map(([row = '', column = '', code = '', detail = '']) => ({
    row: row === '' ? null : Number(row),
    column: column || null,
    code: code as Schemas['PlanFault']['code'],
    detail,
  }))
}

/** What many rows have in common, so that nobody needs to read each of them. */
function Common({ plan, says }: { plan: Plan; says: Says }) {
  const texts = useTexts()
  const read = useRead(`common faults ${plan.id} ${plan.counts.faults}`, (signal) => allFaults(plan, signal))
  const groups = commonFaults(read.data ?? [], says)
  if (groups.length === 0) return null
  return (
    <ul>
      {groups.map(({ count, column, text, row }) => (
        <li key={`${column} ${text}`}>
          {texts.plans.manyFaults(count)} {column && <bdi>{column}: </bdi>}
          {text} <span class="note">{texts.plans.firstOfThem(rowIn(plan, row) ?? row)}</span>
        </li>
      ))}
    </ul>
  )
}

/**
 * All faults as a file: each with the row and what it has there, as far as this page knows the file, or with the person. Its cells are
 * separated as in that file.
 */
async function fileOfFaults(plan: Plan, says: Says, me: Me, texts: Texts): Promise<string> {
  const faults = await allFaults(plan)
  const lines = (await withNames(plan.id, faults, me)).map(({ row, column, code, detail, person, name, said }) => ({
    row: rowIn(plan, row),
    key: said?.key ?? person ?? '',
    name: said?.name ?? name ?? '',
    column: column ?? '',
    value: said?.value ?? '',
    says: says({ code, detail }),
    code,
    detail,
  }))
  const inOrder = lines.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0))
  const ofFile = await separatorInFile(plan.id)
  const separator = separators.find((one) => one === ofFile) ?? usualSeparator(texts.language)
  return faultFile(texts.plans.faultsHead, inOrder, separator)
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
          {[said.key, said.name].filter(Boolean).map(cutText).join(' · ')}
        </span>
      )}
    </>
  )
}

/** Faults with what people are called whom they are about, or with what the file says in their rows. */
async function withNames(plan: string, faults: readonly Schemas['PlanFault'][], me: Me): Promise<Fault[]> {
  const people = faults.flatMap((fault) => personIn(fault) ?? [])
  // A name is a help, not what was asked for: the id stays.
  const names = await readNames(api, people, me).catch((): Awaited<ReturnType<typeof readNames>> => new Map())
  const named = faults.map(async (fault) => {
    const person = personIn(fault)
    if (person === undefined) return { ...fault, said: await saidInFile(plan, fault.row, fault.column) }
    return { ...fault, person, name: names.get(person) }
  })
  return Promise.all(named)
}
