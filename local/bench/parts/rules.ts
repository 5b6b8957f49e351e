import { randomUUID } from 'node:crypto'
import { importDirectory } from '../../../domain/import/importDirectory.ts'
import { groupMembers } from '../../../domain/people/records/group.ts'
import { countedRoles } from '../../../domain/people/records/groupLists.ts'
import { startWorker } from '../../start/workerLoop.ts'
import { amidCreations } from '../amidCreations.ts'
import { type Bench, shown } from '../figures.ts'
import { fill, LARGE } from '../fill.ts'
import { newPerson } from '../sampleRecords.ts'
import { byTurns, median, ratio, timed, until } from '../timing.ts'
import { answerOf, caller, enter, newWorld, type World } from '../world.ts'

const RULES = 50
const ROUNDS = 60
const WARM_UP = 15
const MOST_MOVING = 1
const MOST_OTHERS = 1.1
const MOST_SECONDS = 120
/** The first rule of an organisation waits for so long. The clock is put forward by it. */
const FIRST_WAITS_MS = 60_000

/** In a row in each round: what an instance remembers of a table is not read again for each. */
const IN_A_ROW = 10

/** RULES: changes of users among 50 rules, and a rule that is applied to all users. */
export async function rules(bench: Bench): Promise<void> {
  await changes(bench)
  await applying(bench)
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
async function bringRules(world: World, say: Bench['say']): Promise<void> {
  const context = { store: world.store, now: new Date().toISOString(), newId: randomUUID }
  await importDirectory(context, directoryOf(RULES))
  enter(world, { ahead: FIRST_WAITS_MS })
  const worker = startWorker()
  try {
    await ready(groupOf(RULES - 1), say)
  } finally {
    await worker.stop()
  }
}

/** Waits until a rule is applied to all users. */
const ready = (rule_id: string, say: Bench['say']): Promise<number> =>
  until(async () => {
    const { state, progress } = await answerOf('getRule', { path: { rule_id } })
    say(`${progress?.done ?? 0} of ${progress?.total ?? 0} users looked at`)
    return state === 'READY'
  })

/** What rules add to the time of a change, against the same calls in a table without rules, or by hand. */
async function changes({ endpoint, say, atMost, info }: Bench): Promise<void> {
  const [ruled, plain] = [await newWorld(endpoint), await newWorld(endpoint)]
  await bringRules(ruled, say)
  for (const world of [plain, ruled]) {
    enter(world, { ahead: FIRST_WAITS_MS })
    for (const id of ['ada', 'ben']) await answerOf('createUser', { body: newPerson(id) })
  }
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
  const move = `${RULES} rules: a PATCH that moves a user between the groups of two`
  atMost(`${move} ÷ PATCH, POST and DELETE by hand`, ratio(moving.byRules, moving.byHand), MOST_MOVING)
  info('of that by rules, by hand', [median(moving.byRules), median(moving.byHand)], ' ms')

  const several = (world: World) => async (round: number) => {
    enter(world, { ahead: FIRST_WAITS_MS })
    for (let n = 0; n < IN_A_ROW; n++)
      await patch('ada', { attributes: [{ name: 'job_title', value: `Planner ${round} ${n}` }] })
  }
  const others = await byTurns({ ruled: several(ruled), plain: several(plain) }, { rounds: ROUNDS / 4, warmUp: 3 })
  const look = `${RULES} rules: a PATCH that no rule looks at ÷ without rules`
  atMost(look, ratio(others.ruled, others.plain), MOST_OTHERS)
  info('of that with rules, without', [median(others.ruled) / IN_A_ROW, median(others.plain) / IN_A_ROW], ' ms')
}

/** A rule that a tenth of all users match: how long until all have it, and what other calls take meanwhile. */
async function applying(bench: Bench): Promise<void> {
  const { say, atMost, info } = bench
  // Not the directory that other parts share: rules stay in it.
  const world = await fill(bench, LARGE)
  await bringRules(world, say)
  enter(world, { ahead: FIRST_WAITS_MS })
  const worker = startWorker()
  try {
    const body = {
      id: 'tenth',
      title: 'A tenth',
      user_group_id: groupOf(0),
      role_id: 'coach',
      conditions: [{ field: 'EXTERNAL_ID', operator: 'STARTS_WITH', values: ['E-1'] }],
    }
    const create = await caller('createRule', { body })
    const { answered, seconds } = await amidCreations(bench, async () => {
      const answered = await timed(create)
      return { answered, seconds: answered / 1000 + (await ready('tenth', say)) }
    })
    const count = countedRoles(await groupMembers(groupOf(0)).read(world.store, 'strong')).get('coach') ?? 0
    const what = `a rule that ${count} of ${LARGE} users match: applied, after the call began`
    atMost(what, seconds, MOST_SECONDS, ' s', `, ${shown((seconds * 1000) / count)} s for a thousand`)
    info("the call's answer", [answered], ' ms')
  } finally {
    await worker.stop()
  }
}
