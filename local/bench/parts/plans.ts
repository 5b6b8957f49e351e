import { startWorker } from '../../start/workerLoop.ts'
import { amidCreations } from '../amidCreations.ts'
import type { Bench } from '../figures.ts'
import { filled, LARGE } from '../fill.ts'
import { until } from '../timing.ts'
import { answerOf, enter } from '../world.ts'

const LOOK_MS = 50
const APPLIED = 1_000
const promised = { one: 2, checked: 60, applied: 20, undone: 20 }

type Plan = { id: string; state: string; counts: { rows: number; planned: number; done: number } }

/** PLANS: a plan for one and for an eighth of all users, and a thousand changes made and taken back amid other calls. */
export async function plans(bench: Bench): Promise<void> {
  const { say, atMost, info } = bench
  enter(await filled(bench, LARGE))
  const worker = startWorker()
  try {
    const tag = { update: { tags: { add: ['benched'] } } }
    const one = await made({ select: { search_term: 'aabenraa.17' }, change: { action: 'LOCK' } }, say)
    atMost(`a plan for ${one.plan.counts.rows} of ${LARGE} users: READY`, one.seconds, promised.one, ' s')
    const department = { attribute_technical_name: 'department', attribute_value: 'Logistics' }
    const eighth = await made({ select: department, change: tag }, say)
    atMost(`a plan for ${eighth.plan.counts.rows} of them: READY`, eighth.seconds, promised.checked, ' s')
    const walk = await made({ select: { tag: 'nobody-has-this' }, change: tag }, say)
    info('a plan by a tag that nobody has, which looks at all of them', [walk.seconds], ' s')
    const { plan } = await made({ select: { user_ids: await someUsers(APPLIED) }, change: tag }, say)
    const applied = await amidCreations(bench, () => appliedIn(plan, say))
    atMost(`${plan.counts.planned} changes made`, applied, promised.applied, ' s')
    const undo = await made({ kind: 'UNDO', plan_id: plan.id }, say)
    const undone = await appliedIn(undo.plan, say)
    atMost(`${undo.plan.counts.planned} changes taken back`, undone, promised.undone, ' s')
  } finally {
    await worker.stop()
  }
}

/** A new plan once it is READY, and the seconds until then. */
async function made(body: object, say: Bench['say']): Promise<{ plan: Plan; seconds: number }> {
  const { id } = await answerOf('createPlan', { body: { kind: 'SELECTION', ...body } })
  return reached(id, 'READY', say)
}

async function appliedIn({ id, counts }: Plan, say: Bench['say']): Promise<number> {
  await answerOf('applyPlan', { path: { plan_id: id }, body: { planned: counts.planned } })
  return (await reached(id, 'DONE', say)).seconds
}

/** Waits until a plan has a state. */
async function reached(plan_id: string, state: string, say: Bench['say']): Promise<{ plan: Plan; seconds: number }> {
  let plan: Plan | undefined
  const look = async () => {
    const read: Plan = await answerOf('getPlan', { path: { plan_id } })
    if (read.state === 'REFUSED') throw new Error(`The plan was refused: ${JSON.stringify(read)}`)
    say(`${read.state}, ${read.counts.rows} users looked at, ${read.counts.done} changes made`)
    plan = read
    return read.state === state
  }
  const seconds = await until(look, LOOK_MS)
  return { plan: plan as unknown as Plan, seconds }
}

async function someUsers(number: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ids.length < number; page++) {
    const query = { page_limit: '100', page_number: String(page), sort: 'USERNAME_ASC' }
    const { users } = await answerOf('listUsers', { query })
    ids.push(...users.map(({ id }: { id: string }) => id))
  }
  return ids
}
