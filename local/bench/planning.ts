import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { startWorker } from '../worker.ts'
import { filled, LARGE } from './filled.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { median, timed } from './timing.ts'
import { caller, enterNow } from './world.ts'

const LOOK_MS = 50
const PAUSE_MS = 100
const QUIET = 40
const APPLIED = 1_000
const MOST_TIMES_QUIET = 3
const bars = { one: 2, checked: 60, applied: 20, undone: 20 }

type Plan = { id: string; state: string; counts: { rows: number; planned: number; done: number } }

/** PLANS: a plan for one and for a tenth of all users, and a thousand changes made and taken back amid other calls. */
export async function planning(endpoint: string, say: Say): Promise<Row[]> {
  enterNow(await filled(endpoint, LARGE, say))
  const worker = startWorker()
  try {
    const lock = { action: 'LOCK' }
    const one = await made({ select: { search_term: 'aabenraa.17' }, change: lock }, 'READY', say)
    const tag = { update: { tags: { add: ['benched'] } } }
    const department = { attribute_technical_name: 'department', attribute_value: 'Logistics' }
    const tenth = await made({ select: department, change: tag }, 'READY', say)
    const walk = await made({ select: { tag: 'nobody-has-this' }, change: tag }, 'READY', say)
    const ids = await someUsers(APPLIED)
    const thousand = await made({ select: { user_ids: ids }, change: tag }, 'READY', say)
    const quiet = await creationsWhile(setTimeout(QUIET * PAUSE_MS))
    const applying = appliedIn(thousand.plan, say)
    const meanwhile = await creationsWhile(applying)
    const undo = await made({ kind: 'UNDO', plan_id: thousand.plan.id }, 'READY', say)
    const undone = await appliedIn(undo.plan, say)
    return [
      atMost('PLANS', `a plan for ${one.plan.counts.rows} of ${LARGE} users: READY`, one.seconds, bars.one, ' s'),
      atMost('PLANS', `a plan for ${tenth.plan.counts.rows} of them: READY`, tenth.seconds, bars.checked, ' s'),
      info('PLANS', 'a plan by a tag that nobody has, which looks at all of them', `${shown(walk.seconds)} s`),
      atMost('PLANS', `${thousand.plan.counts.planned} changes made`, await applying, bars.applied, ' s'),
      atMost('PLANS', `${undo.plan.counts.planned} changes taken back`, undone, bars.undone, ' s'),
      atMost('PLANS', 'creations meanwhile ÷ in a quiet service', median(meanwhile) / median(quiet), MOST_TIMES_QUIET),
      info(
        'PLANS',
        'creations meanwhile, in a quiet service',
        `${shown(median(meanwhile))} ms, ${shown(median(quiet))} ms`,
      ),
    ]
  } finally {
    await worker.stop()
  }
}

const read = async (plan_id: string): Promise<Plan> =>
  JSON.parse(String(await (await caller('getPlan', { path: { plan_id } }))()))

/** Waits until a plan has a state. Returns the seconds since the start. */
async function reached(id: string, state: string, say: Say): Promise<{ plan: Plan; seconds: number }> {
  const startedAt = performance.now()
  for (;;) {
    const plan = await read(id)
    const seconds = (performance.now() - startedAt) / 1000
    if (plan.state === state) return { plan, seconds }
    if (plan.state === 'REFUSED') throw new Error(`The plan was refused: ${JSON.stringify(plan)}`)
    say(`${plan.state}, ${plan.counts.rows} users looked at, ${plan.counts.done} changes made`)
    await setTimeout(LOOK_MS)
  }
}

async function made(body: object, state: string, say: Say) {
  const create = await caller('createPlan', { body: { kind: 'SELECTION', ...body } })
  return reached(JSON.parse(String(await create())).id, state, say)
}

async function appliedIn({ id, counts }: Plan, say: Say): Promise<number> {
  await (await caller('applyPlan', { path: { plan_id: id }, body: { planned: counts.planned } }))()
  return (await reached(id, 'DONE', say)).seconds
}

async function someUsers(number: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ids.length < number; page++) {
    const list = await caller('listUsers', {
      query: { page_limit: '100', page_number: String(page), sort: 'USERNAME_ASC' },
    })
    ids.push(...JSON.parse(String(await list())).users.map((user: { id: string }) => user.id))
  }
  return ids
}

/** How long creations take until other work is over. */
async function creationsWhile(work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const times: number[] = []
  while (!isOver) {
    times.push(await timed(await caller('createUser', { body: newPerson(randomUUID()) })))
    await setTimeout(PAUSE_MS)
  }
  await over
  return times
}
