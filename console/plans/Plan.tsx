import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { useRead, useRepeat } from '../data/useRead.ts'
import { Facts } from '../parts/Facts.tsx'
import { Loaded, NotCurrent } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { Problem } from '../parts/Problem.tsx'
import { Progress } from '../parts/Progress.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say, unsay } from '../shell/announce.tsx'
import { type Texts, useTexts } from '../texts/texts.ts'
import { ApplyDialog } from './ApplyDialog.tsx'
import { CancelDialog } from './CancelDialog.tsx'
import { Changes } from './Changes.tsx'
import { Choices } from './Choices.tsx'
import { Detail, Faults, useFaultText } from './Faults.tsx'
import { type Again, askedOf, longestTitle } from './fileRequest.ts'
import { StateBadge } from './Plans.tsx'
import {
  hasNothingToDo,
  isBeingCounted,
  isUnderWay,
  makersOf,
  makerText,
  mayApply,
  mayCancel,
  mayTryAgain,
  mayUndo,
  numbersOf,
  type Plan as PlanRecord,
  type PlanState,
} from './planQuery.ts'
import { usePlanTitle } from './usePlanTitle.ts'

/** One plan: what it would do to whom, before anything is done; then what was done, and the way back. */
export default function Plan({ query }: ScreenProperties) {
  const texts = useTexts()
  const id = query.get('id') ?? ''
  const read = useRead(id, async (signal) => {
    const params = { path: { plan_id: id } }
    return (await api.GET('/api/admin/organisations/v4/plans/{plan_id}', { signal, params })).data
  })
  const { data: plan } = read
  const titleOf = usePlanTitle(plan ? [plan] : [])
  const isWorkedOut = plan !== undefined && plan.state !== 'CHECKING'
  const isOver = isWorkedOut && plan.state !== 'APPLYING'
  useEffect(() => {
    if (isWorkedOut) for (const text of [texts.bulk.made, texts.plans.undoBegun]) unsay(text)
    if (isOver) unsay(texts.plans.applying)
  }, [isWorkedOut, isOver])
  useRepeat(read.data !== undefined && (isUnderWay(read.data) || isBeingCounted(read.data)), read.again)
  const back = <a href={linkTo('plans')}>{texts.plans.back}</a>
  if (codeOf(read.problem) === 'PLAN_NOT_FOUND')
    return <Page title={texts.plans.noPlan} intro={texts.errors.PLAN_NOT_FOUND} back={back} />
  if (!plan)
    return (
      <Page title={texts.plans.one} back={back}>
        <Loaded read={read}>{() => null}</Loaded>
      </Page>
    )
  return (
    <Page title={titleOf(plan)} back={back} canPrint>
      <NotCurrent read={read} />
      <div class="two-thirds">
        <div class="beneath">
          <State plan={plan} onChanged={read.show} again={read.again} />
          <Choices plan={plan} />
        </div>
        <About plan={plan} />
      </div>
      {plan.ignored_columns.length > 0 && <Ignored columns={plan.ignored_columns} />}
      {plan.counts.faults > 0 && <Faults plan={plan} />}
      {/* Read anew once the plan is worked out, and once it is carried out. */}
      <Changes key={plan.state} plan={plan} query={query} />
    </Page>
  )
}

type StateProperties = { plan: PlanRecord; onChanged: (plan: PlanRecord) => void; again: () => void }

/** What the state means, how far the work is, and what can be done now. */
function State({ plan, onChanged, again }: StateProperties) {
  const texts = useTexts()
  const [asked, setAsked] = useState<'APPLY' | 'CANCEL'>()
  const { run, isBusy, problem } = useAction()
  const { id, state } = plan
  const titleOf = usePlanTitle([plan])
  const undoState = useUndoState(plan)
  // Others may decide while a dialog is open.
  useRepeat(asked !== undefined && state === 'READY', again)
  const undo = () =>
    run(async () => {
      const title = [...texts.plans.does.takeBack(titleOf(plan))].slice(0, longestTitle).join('')
      const { data } = await api.POST('/api/admin/organisations/v4/plans', {
        body: { kind: 'UNDO', plan_id: id, title },
      })
      say(texts.plans.undoBegun)
      go(linkTo('plan', { id: data.id }))
    })
  const tryAgain = () => {
    const again: Again = { plan: id, asked: askedOf(plan.request, plan.title) }
    go(linkTo('new-plan'), { state: { again } })
  }
  return (
    <section class="card" aria-labelledby="state">
      <div class="card-head">
        <h2 id="state">{texts.plans.state}</h2>
        <StateBadge plan={plan} />
      </div>
      <Standing plan={plan} />
      <Problem problem={problem} />
      <div class="form-actions">
        {mayApply(plan) && (
          <button type="button" class="primary" onClick={() => setAsked('APPLY')}>
            {texts.plans.apply}
          </button>
        )}
        {mayUndo(plan, undoState) && (
          <button type="button" aria-disabled={isBusy} onClick={undo}>
            {texts.plans.undo}
          </button>
        )}
        {mayTryAgain(plan) && (
          <button type="button" class="primary" onClick={tryAgain}>
            {texts.plans.tryAgain}
          </button>
        )}
        {state === 'REFUSED' && plan.kind === 'SELECTION' && (
          <a class="button" href={linkTo('people')}>
            {texts.plans.toPeople}
          </a>
        )}
        {mayCancel(plan) && (
          <button type="button" onClick={() => setAsked('CANCEL')}>
            {texts.plans.cancel}
          </button>
        )}
      </div>
      {asked === 'APPLY' && (
        <ApplyDialog plan={plan} onClose={() => setAsked(undefined)} onApplied={onChanged} again={again} />
      )}
      {asked === 'CANCEL' && (
        <CancelDialog plan={plan} onClose={() => setAsked(undefined)} onCancelled={onChanged} again={again} />
      )}
    </section>
  )
}

/** What a plan has come to: what its state means, how far the work is, what was done. */
function Standing({ plan }: { plan: PlanRecord }) {
  const texts = useTexts()
  const says = useFaultText(plan)
  const { state, progress, fault, counts } = plan
  const isNext = useIsNext(plan)
  const hasResult = state === 'DONE' || state === 'CANCELLED'
  return (
    <>
      <p>{isNext ? texts.plans.waitsForOther : meaningOf(plan, texts)}</p>
      {fault && (
        <div class="problem" role="alert">
          <strong>{says(fault)}</strong>
          <Detail>{fault.detail}</Detail>
        </div>
      )}
      {progress && isUnderWay(plan) && (
        <Progress label={texts.plans.states[state]} {...progress} isPercent={state === 'CHECKING'} />
      )}
      {state === 'READY' && counts.planned > 0 && <p>{texts.plans.wouldChange(counts.planned)}</p>}
      {hasResult && <p>{texts.plans.result(counts.done, counts.skipped, counts.failed)}</p>}
      <Related plan={plan} />
    </>
  )
}

/** Whether another plan is applied before this one. */
function useIsNext({ id, state, applied_at, progress }: PlanRecord): boolean {
  const mayWait = state === 'APPLYING' && progress?.done === 0
  const read = useRead(
    mayWait ? `plans before ${id}` : null,
    async (signal) => {
      const query = { state: ['APPLYING' as const] }
      const { data } = await api.GET('/api/admin/organisations/v4/plans', { signal, params: { query } })
      return data.plans.some((one) => one.id !== id && (one.applied_at ?? '') < (applied_at ?? ''))
    },
    { keep: false },
  )
  useRepeat(mayWait, read.again)
  return read.data ?? false
}

/** What the state of a plan means. */
function meaningOf(plan: PlanRecord, { plans }: Texts): string {
  const { state, counts } = plan
  if (hasNothingToDo(plan)) return plans.noChanges
  if (state === 'CANCELLED' && counts.done === 0 && !isBeingCounted(plan)) return plans.cancelledUndone
  return state === 'DONE' && counts.done === 0 ? plans.nothingDone : plans.means[state]
}

/** The state of the plan that takes this one back. */
function useUndoState({ undone_by }: PlanRecord): PlanState | 'GONE' | undefined {
  const read = useRead(
    undone_by,
    async (signal) => {
      const params = { path: { plan_id: undone_by ?? '' } }
      return (await api.GET('/api/admin/organisations/v4/plans/{plan_id}', { signal, params })).data
    },
    { keep: false },
  )
  return codeOf(read.problem) === 'PLAN_NOT_FOUND' ? 'GONE' : read.data?.state
}

/** The plan that this one takes back, and the one that takes this one back. */
function Related({ plan: { kind, request, undone_by } }: { plan: PlanRecord }) {
  const texts = useTexts()
  const taken = kind === 'UNDO' ? request['plan_id'] : undefined
  return (
    <>
      {typeof taken === 'string' && (
        <p>
          <a href={linkTo('plan', { id: taken })}>{texts.plans.undoes}</a>
        </p>
      )}
      {undone_by && (
        <p>
          <a href={linkTo('plan', { id: undone_by })}>{texts.plans.undoneBy}</a>
        </p>
      )}
    </>
  )
}

/** Columns of the file that name nothing that is known here. */
function Ignored({ columns }: { columns: readonly string[] }) {
  const texts = useTexts()
  return (
    <section class="card" aria-label={texts.files.ignored}>
      <p>
        {texts.files.ignored} <strong dir="auto">{columns.join(', ')}</strong>
      </p>
      <p class="hint">{texts.files.ignoredAdvice}</p>
    </section>
  )
}

/** The numbers, and since when and until when. */
function About({ plan }: { plan: PlanRecord }) {
  const texts = useTexts()
  const names = usePeopleNames(makersOf([plan]))
  const numbers = numbersOf(plan, texts).map(([name, count]): [string, string] => [name, texts.number(count)])
  const times = (
    [
      [texts.plans.created, plan.created_at],
      [texts.plans.checked, plan.checked_at],
      [texts.plans.applied, plan.applied_at],
      [texts.plans.finished, plan.finished_at],
      [texts.plans.expires, plan.expires_at],
    ] as const
  ).flatMap(([name, at]) => (at ? [[name, <Time key={name} at={at} />] as const] : []))
  return (
    <section class="card" aria-labelledby="numbers">
      <h2 id="numbers">{texts.plans.numbers}</h2>
      <Facts facts={[...numbers, [texts.plans.maker, makerText(plan.created_by, names, texts)], ...times]} />
    </section>
  )
}
