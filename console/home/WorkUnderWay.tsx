import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { type Reading, useRead, useRepeat } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Progress } from '../parts/Progress.tsx'
import { hasNothingToDo, isUnderWay, type Plan } from '../plans/planQuery.ts'
import { usePlanTitle } from '../plans/usePlanTitle.ts'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** Of the tasks that somebody has given, the newest are looked at: giving them out takes minutes at most. */
const newestTasks = 20

async function distributions(signal: AbortSignal): Promise<Work[]> {
  const query = {
    distribution_kind: ['DISTRIBUTED' as const],
    sort: ['UPDATED_AT_DESC' as const],
    page_limit: newestTasks,
  }
  const { data } = await api.GET('/api/tasks/v4/tasks', { signal, params: { query } })
  return data.tasks
    .filter(({ distribution }) => distribution?.state === 'RUNNING')
    .map(({ id, title, distribution }) => ({ kind: 'task', id, title, progress: distribution ?? null }))
}

type Work = { id: string; progress: { done: number; total: number } | null } & (
  | { kind: 'task' | 'rule'; title: string }
  | { kind: 'plan'; plan: Plan }
)

/** At most so many rules are looked at: there are up to 200. */
const pageLimit = 100

async function readOpenWork(signal: AbortSignal, hasTasks: boolean) {
  const [plans, rules, tasks] = await Promise.all([
    api.GET('/api/admin/organisations/v4/plans', {
      signal,
      // More cannot be open at once.
      params: { query: { state: ['CHECKING', 'READY', 'APPLYING'], page_limit: 20 } },
    }),
    Array.fromAsync(
      api.pages('/api/admin/users/v4/user-group-rules', { signal, params: { query: { page_limit: pageLimit } } }),
    ),
    hasTasks ? distributions(signal) : [],
  ])
  const work: Work[] = [
    ...tasks,
    ...plans.data.plans
      .filter(isUnderWay)
      .map((plan) => ({ kind: 'plan' as const, id: plan.id, plan, progress: plan.progress })),
    ...rules
      .flatMap((page) => page.rules)
      .filter(({ state }) => state !== 'READY')
      .map(({ id, title, progress }) => ({ kind: 'rule' as const, id, title, progress })),
  ]
  return { work, toDecide: plans.data.plans.filter((plan) => plan.state === 'READY' && !hasNothingToDo(plan)) }
}

/** What is being worked on, and the plans to decide, at one time: when work on a plan ends, it waits for somebody. */
export function useOpenWork(): { work: Reading<Work[]>; toDecide: Reading<Plan[]> } {
  const { features } = useMe()
  const read = useRead('open work', (signal) => readOpenWork(signal, features.tasks))
  const { work, toDecide } = read.data ?? {}
  useRepeat((work?.length ?? 0) > 0, read.again)
  return { work: { ...read, data: work }, toDecide: { ...read, data: toDecide } }
}

/** Plans, rules and tasks for many that are being worked on. */
export function WorkUnderWay({ read }: { read: Reading<Work[]> }) {
  const texts = useTexts()
  const planTitle = usePlanTitle((read.data ?? []).flatMap((work) => (work.kind === 'plan' ? work.plan : [])))
  const titleOf = (work: Work) => (work.kind === 'plan' ? planTitle(work.plan) : work.title)
  return (
    <HomeCard
      card="work"
      title={texts.home.work}
      read={read}
      none={texts.home.workNone}
      keyOf={({ id }) => id}
      line={(work) => (
        <>
          <LinkTo to={linkTo(work.kind, { id: work.id })}>{titleOf(work)}</LinkTo>
          {work.progress && work.progress.total > 0 ? (
            <Progress label={texts.home.kinds[work.kind]} {...work.progress} />
          ) : (
            <span class="note">{work.kind === 'rule' ? texts.home.ruleWaits : texts.home.kinds[work.kind]}</span>
          )}
        </>
      )}
    />
  )
}
