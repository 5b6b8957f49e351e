import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { countedRoles, groupMembers } from '../../domain/people/records/group.ts'
import { startWorker } from '../worker.ts'
import { fill, LARGE } from './filled.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { byTurns, median, ratio, timed } from './timing.ts'
import { caller, enterNow, newWorld, type World } from './world.ts'

const RULES = 50
const ROUNDS = 60
const WARM_UP = 15
const MOST_MOVING = 1
const MOST_OTHERS = 1.1
const MOST_SECONDS = 120
const MOST_TIMES_QUIET = 3
const LOOK_MS = 250
const QUIET = 60
const PAUSE_MS = 100
/** The first rule of an organisation waits for so long. The clock is put forward by it. */
const FIRST_WAITS_MS = 60_000

/** RULES: changes of users among 50 rules, and a rule that is applied to all users. */
export async function ruling(endpoint: string, say: Say): Promise<Row[]> {
  return [...(await changes(endpoint, say)), ...(await applying(endpoint, say))]
}

const groupOf = (n: number): string => `crew-${n}`
const crew = (n: number) => ({ tags: [{ name: groupOf(n) }] })

/** As many groups, and in each one a rule for a tag. */
const directoryOf = (rules: number) => ({
  user_groups: Array.from({ length: rules }, (_, n) => ({
    id: groupOf(n),
    title: [{ language: 'en-GB', text: `Crew ${n}` }],
    type: 'CUSTOM' as const,
    status: 'ACTIVE' as const,
    parent_id: 'root',
  })),
  user_group_rules: Array.from({ length: rules }, (_, n) => ({
    id: groupOf(n),
    title: `Crew ${n}`,
    user_group_id: groupOf(n),
    role_id: 'group-member',
    conditions: [{ field: 'TAG', operator: 'EQUALS' as const, values: [groupOf(n)] }],
  })),
})

/** Brings rules into a table, and waits until they are applied. */
async function bringRules(world: World, say: Say): Promise<void> {
  const context = { store: world.store, now: new Date().toISOString(), newId: randomUUID }
  await importDirectory(context, directoryOf(RULES))
  enterNow(world, FIRST_WAITS_MS)
  const worker = startWorker()
  try {
    await ready(groupOf(RULES - 1), say)
  } finally {
    await worker.stop()
  }
}

/** Waits until a rule is applied to all users. */
async function ready(rule_id: string, say: Say): Promise<void> {
  const read = await caller('getRule', { path: { rule_id } })
  for (;;) {
    const { state, progress } = JSON.parse(String(await read()))
    if (state === 'READY') return
    say(`${progress?.done ?? 0} of ${progress?.total ?? 0} users looked at`)
    await setTimeout(LOOK_MS)
  }
}

/** What rules add to the time of a change, against the same calls in a table without rules, or by hand. */
async function changes(endpoint: string, say: Say): Promise<Row[]> {
  const [ruled, plain] = [await newWorld(endpoint), await newWorld(endpoint)]
  await bringRules(ruled, say)
  for (const world of [ruled, plain]) {
    enterNow(world)
    for (const id of ['ada', 'ben']) await (await caller('createUser', { body: newPerson(id) }))()
  }
  enterNow(ruled, FIRST_WAITS_MS)
  const patch = async (user_id: string, body: object) => (await caller('updateUser', { path: { user_id }, body }))()
  const moving = await byTurns(
    {
      byRules: (round) => patch('ada', crew(round % 2)),
      byHand: async (round) => {
        const [path, other] = [{ group_id: groupOf(2 + (round % 2)) }, { group_id: groupOf(3 - (round % 2)) }]
        const held = { user_id: 'ben', role_id: 'coach' }
        await patch('ben', { tags: [{ name: `t-${round % 2}` }] })
        await (await caller('createGroupAssignment', { path, body: held }))()
        if (round > 0) await (await caller('deleteGroupAssignment', { path: { ...other, ...held } }))()
      },
    },
    { rounds: ROUNDS, warmUp: WARM_UP },
  )
  // Several calls in a row: what an instance remembers of a table is not read anew for each.
  const several = (world: World) => async (round: number) => {
    enterNow(world, FIRST_WAITS_MS)
    for (let n = 0; n < 10; n++)
      await patch('ada', { attributes: [{ name: 'job_title', value: `Planner ${round} ${n}` }] })
  }
  const others = await byTurns({ ruled: several(ruled), plain: several(plain) }, { rounds: ROUNDS / 4, warmUp: 3 })
  const both = ({ a, b }: { a: number[]; b: number[] }, each = 1) =>
    `${shown(median(a) / each)} ms, ${shown(median(b) / each)} ms`
  return [
    atMost(
      'RULES',
      `${RULES} rules: a PATCH that moves a user between the groups of two ÷ PATCH, POST and DELETE by hand`,
      ratio(moving.byRules, moving.byHand),
      MOST_MOVING,
    ),
    info('RULES', 'of that by rules, by hand', both({ a: moving.byRules, b: moving.byHand })),
    atMost(
      'RULES',
      `${RULES} rules: a PATCH that no rule looks at ÷ without rules`,
      ratio(others.ruled, others.plain),
      MOST_OTHERS,
    ),
    info('RULES', 'of that with rules, without', both({ a: others.ruled, b: others.plain }, 10)),
  ]
}

/** A rule that a tenth of all users match: how long until all have it, and what other calls take meanwhile. */
async function applying(endpoint: string, say: Say): Promise<Row[]> {
  // Not the directory that other sections share: rules stay in it.
  const world = await fill(endpoint, LARGE, say)
  await bringRules(world, say)
  enterNow(world, FIRST_WAITS_MS)
  const worker = startWorker()
  try {
    const quiet: number[] = []
    for (let n = 0; n < QUIET * 2; n++) quiet.push(await creation())
    const body = {
      id: 'tenth',
      title: 'A tenth',
      user_group_id: groupOf(0),
      role_id: 'coach',
      conditions: [{ field: 'EXTERNAL_ID', operator: 'STARTS_WITH', values: ['E-1'] }],
    }
    const startedAt = performance.now()
    const create = await caller('createRule', { body })
    const answered = await timed(create)
    let isOver = false
    const during: number[] = []
    const waiting = ready('tenth', say).finally(() => {
      isOver = true
    })
    while (!isOver) {
      during.push(await creation())
      await setTimeout(PAUSE_MS)
    }
    await waiting
    const seconds = (performance.now() - startedAt) / 1000
    const count = await membersOf(world, groupOf(0))
    const [alone, meanwhile] = [median(quiet.slice(QUIET)), median(during)]
    return [
      atMost(
        'RULES',
        `a rule that ${count} of ${LARGE} users match: applied, after the call began`,
        seconds,
        MOST_SECONDS,
        ' s',
        `, ${shown((seconds * 1000) / count)} s for a thousand`,
      ),
      info('RULES', "the call's answer", `${shown(answered)} ms`),
      atMost('RULES', 'creations meanwhile ÷ in a quiet service', meanwhile / alone, MOST_TIMES_QUIET),
      info(
        'RULES',
        `${during.length} creations meanwhile, ${QUIET} in a quiet service`,
        `${shown(meanwhile)} ms, ${shown(alone)} ms`,
      ),
    ]
  } finally {
    await worker.stop()
  }
}

const membersOf = async ({ store }: World, group: string): Promise<number> =>
  countedRoles(await groupMembers(group).read(store, 'now')).get('coach') ?? 0

const creation = async (): Promise<number> => timed(await caller('createUser', { body: newPerson(randomUUID()) }))
