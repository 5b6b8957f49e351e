import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { userCounts } from '../../domain/people/records/userCounters.ts'
import { applyRules } from '../../domain/people/rules/applyRules.ts'
import { readRules } from '../../domain/people/rules/rule.ts'
import { rulesWorkKey } from '../../domain/people/rules/rulesWork.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { RULES_ROUND } from '../../domain/table/keys.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import { readWork } from '../../domain/table/readWork.ts'
import type { Page, Range } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/workKinds.ts'
import { noRepairs, repair } from '../../local/verify/repair.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite, strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as r from './rules.ts'

// Rounds that follow each other, and processes that stall in one of them.

const userIds = ['u-0', 'u-1', 'u-2', 'u-3']
const users = [...people, ...userIds.map((id) => ({ id, username: id }))]
let service: Service
beforeAll(async () => {
  service = await startService({ users, indexes: ['by_id'] })
  await r.firstRule(service)
})

let serial = 0
let groups = ['', '', '']
/** Three groups that no rule names yet. */
async function newGroups(): Promise<void> {
  serial++
  groups = await Promise.all(['a', 'b', 'c'].map((name) => r.newGroup(`${name}-${serial}`)))
}
const everybody = { conditions: [{ field: 'USERNAME', operator: 'STARTS_WITH', values: ['u-'] }] }
/** Creates the rule of one of these groups. */
const create = (nth: number) => r.createRule(`rule-${groups[nth]}`, groups[nth] as string, everybody)
const removeRules = async (): Promise<void> => {
  for (const group of groups) await r.deleteRule(`rule-${group}`)
  await r.later(service)
}

type Request = { name: string; input: Any; nth: number }

/** Looks at each request of `work`, before it is sent; requests that are sent meanwhile are not counted. */
async function watched<T>(work: () => Promise<T>, look: (request: Request) => unknown): Promise<T> {
  let nth = 0
  let isLooking = false
  service.client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!isLooking) {
        isLooking = true
        await Promise.resolve(look({ name: String(context['commandName']), input: args.input, nth: ++nth })).finally(
          () => {
            isLooking = false
          },
        )
      }
      return next(args)
    },
    { step: 'initialize', name: 'watched' },
  )
  return work().finally(() => service.client.middlewareStack.remove('watched'))
}

/** Whether a request takes away a mark of a round. */
const isEnd = ({ input }: Request): boolean => {
  const text = JSON.stringify(input)
  return text.includes('REMOVE') && text.includes(`"${RULES_ROUND}"`)
}

const marksNow = async () => (await userCounts.read(service.store, 'strong')).map((shard) => shard[RULES_ROUND])

// `CASES=all` tries each request before which something else may come, in place of some of them.
const tried = <T>(some: readonly T[], every: readonly T[]) => (process.env['CASES'] === 'all' ? every : some)
/** The requests of a creation before which another change of rules comes: those with which a round begins. */
const early = tried([5, 8, 34], [4, 5, 6, 7, 8, 33, 34])

it('each round has an edition of its own, whenever another rule is created', async () => {
  for (const at of early) {
    await newGroups()
    const editions = new Map<string, number>()
    const look = async ({ nth }: Request) => {
      const round = (await readWork(service.store, 'rules', 'all'))?.round
      if (round) editions.set(round.taken.join(), round.edition)
      if (nth === at) await create(1)
    }
    await watched(() => create(0).then(() => r.later(service)), look)
    expect(new Set(editions.values()).size, `another rule at request ${at}`).toBe(editions.size)
    for (const group of groups.slice(0, 2)) expect(await r.sourceOf(group, 'u-1')).toBe('RULE')
    await removeRules()
    await audit(service)
  }
})

it('a process that stalls at the end of a round leaves the marks of the next one', async () => {
  for (const [at, third] of early.flatMap((one) => [[one, false] as const, [one, true] as const])) {
    await newGroups()
    let hasStalled = false
    /** Meanwhile a worker ends the round, begins the next one, and dies. */
    const stall = async (): Promise<void> => {
      hasStalled = true
      if (third) await create(2)
      const ended = (await readWork(service.store, 'rules', 'all'))?.round?.taken ?? []
      const isNext = (text: string): boolean => text.includes('"taken"') && !ended.some((one) => text.includes(one))
      const { heal } = strike(service.client, (_nth, _name, input) =>
        isNext(JSON.stringify(input)) ? 'death' : undefined,
      )
      await r
        .later(service)
        .catch(() => {})
        .finally(heal)
    }
    const look = async (request: Request) => {
      if (request.nth === at) await create(1)
      if (!hasStalled && isEnd(request)) await stall()
    }
    await watched(() => create(0), look)
    expect(hasStalled).toBe(true)
    const round = (await readWork(service.store, 'rules', 'all'))?.round
    expect(new Set(await marksNow()), `another rule at request ${at}`).toEqual(new Set([round?.edition]))
    await r.later(service, 400)
    expect(new Set(await marksNow())).toEqual(new Set([undefined]))
    for (const group of groups.slice(0, 2)) expect(await r.sourceOf(group, 'u-1')).toBe('RULE')
    await removeRules()
    await audit(service)
  }
})

describe('work that is noted again', () => {
  /** A rule that is being deleted, without work. */
  const forget = async (): Promise<number> => {
    await newGroups()
    await create(0)
    const { heal } = dieAfterWrite(service.client, 1)
    await r
      .deleteRule(`rule-${groups[0]}`)
      .catch(() => {})
      .finally(heal)
    await service.store.bulk([{ delete: rulesWorkKey }])
    return (await readRules(service.store)).edition
  }

  it.each<[string, () => Promise<unknown>]>([
    ['by a deletion', () => r.deleteRule(`rule-${groups[0]}`)],
    [
      'by npm run verify',
      () => repair(service.store.causedBy(systemCause('verify')), { ...noRepairs(), hasStopped: true }, service.now),
    ],
  ])('%s has an edition of its own', async (_by, note) => {
    const before = await forget()
    await note()
    expect((await readRules(service.store)).edition).toBe(before + 1)
    await r.later(service)
    expect(await r.sourceOf(groups[0] as string, 'u-1')).toBeUndefined()
    await audit(service)
  })
})

describe('another rule for the same group and role', () => {
  const typesOf = async (user: string, group: string): Promise<string[]> => {
    const query = { record_kind: 'user_group_assignment', record_id: `${group}~${user}~group-member` }
    return (await call('listEvents', { query })).body.events.map(({ type }: Any) => type)
  }
  const holders = async (group: string): Promise<string[]> => {
    const sources = await Promise.all(userIds.map((user) => r.sourceOf(group, user)))
    return userIds.filter((_, nth) => sources[nth] === 'RULE')
  }

  it.each<[string, (rule: string) => Promise<unknown>]>([
    ['deleted', r.deleteRule],
    ['disabled', (rule) => r.updateRule(rule, { enabled: false })],
    ['changed', (rule) => r.updateRule(rule, { conditions: [r.inDepartment('nowhere')] })],
  ])('than one that is being %s keeps the role of whoever has it yet', async (_how, end) => {
    let kept = 0
    for (const at of tried([35, 41, 47], [35, 37, 39, 41, 43, 45, 47])) {
      await newGroups()
      await create(0)
      const [group = ''] = groups
      let holding: string[] = []
      const look = async ({ nth }: Request) => {
        if (nth !== at) return
        await r.createRule(`next-${group}`, group, everybody)
        holding = await holders(group)
      }
      await watched(() => end(`rule-${group}`), look)
      await r.later(service)
      for (const user of holding)
        expect(await typesOf(user, group), `${user}, another rule at request ${at}`).toEqual([
          'user_group_assignment.created',
        ])
      expect(await holders(group)).toEqual(userIds)
      kept += holding.length
      for (const rule of [`rule-${group}`, `next-${group}`]) await r.deleteRule(rule)
      await r.later(service)
      await audit(service)
    }
    expect(kept).toBeGreaterThan(0)
  })

  it('than a deleted one keeps the role of a user who changes, also where a process remembers the rules before it', async () => {
    const [own, shared] = [await startService({ users, indexes: ['by_id'], remembers: true }), service]
    service = own
    onTestFinished(() => {
      service = shared
      service.activate()
    })
    await r.firstRule(service)
    await newGroups()
    await create(0)
    const [group = '', other = ''] = groups
    await r.createRule(`rule-${other}`, other, { conditions: [r.inDepartment('Sales')] })
    let hasActed = false
    const look = async ({ input }: Request) => {
      // The walk is about to take the role.
      if (hasActed || !JSON.stringify(input).includes('user_group_assignment.deleted')) return
      hasActed = true
      await r.updateUser('plain', r.department('Sales'))
      await r.createRule(`next-${group}`, group, everybody)
      await r.updateUser('u-1', r.department('Sales'))
    }
    await watched(() => r.deleteRule(`rule-${group}`), look)
    await r.later(service)
    expect(await r.sourceOf(other, 'u-1')).toBe('RULE')
    expect(await typesOf('u-1', group)).toEqual(['user_group_assignment.created'])
    await audit(service)
  })
})

/** A process that applies rules; `answer` may answer a query in place of the table. */
function applying(answer: (range: Range) => Page | undefined): Promise<void> {
  const store: OpenStore = {
    ...service.store,
    query: async (range) => answer(range) ?? service.store.query(range),
  }
  const clock = () => new Date(service.now().getTime() + 180_000)
  const work = { store, now: clock().toISOString(), clock, timeLeft: () => 60_000, log: () => {} }
  return applyRules(work, { ...rulesWorkKey } as Entry<'rules'>)
}

/** A change of a rule by a call that can no longer read its work, so that it applies nothing. */
async function unapplied(change: () => Promise<unknown>): Promise<void> {
  const unreachable = strike(service.client, (_n, command, input) =>
    JSON.stringify(input).includes('"WORK') && command.startsWith('BatchGet') ? 'unreachable' : undefined,
  )
  await withoutWaits(change)
  unreachable.heal()
}

describe('a user who is deleted just before a walk loses what a deleted rule gave, also where the index is late', () => {
  const lost = { tags: [{ name: 'lost' }] }
  const conditions = [{ field: 'TAG', operator: 'EQUALS', values: ['lost'] }]

  it.each<[string, string | null]>([
    ['as a member', null],
    ['behind the primary group', 'theirs'],
  ])('%s', async (_held, isPrimary) => {
    const group = await r.newGroup(`lost-${isPrimary}`)
    const user = await r.newUser(`lost-${isPrimary}`, lost)
    await r.createRule(group, group, { conditions })
    expect(await r.sourceOf(group, user)).toBe('RULE')
    if (isPrimary) await r.updateUser(user, { primary_user_group_id: group })
    await call('deleteUser', { path: { user_id: user } })
    await unapplied(() => r.deleteRule(group))
    let late = 0
    await applying(({ index, hash }) => {
      if (late > 0 || index !== 'by_id' || hash !== 'USERS#PENDING_DELETION#USER') return undefined
      late++
      return { items: [], count: 0 }
    })
    expect(late).toBe(1)
    await r.later(service, 400)
    expect((await r.readRule(group)).error_code).toBe('RULE_NOT_FOUND')
    // Long after it is gone.
    await call('restoreUser', { path: { user_id: user } })
    if (isPrimary) await r.updateUser(user, { primary_user_group_id: null })
    expect(await r.sourceOf(group, user)).toBeUndefined()
    await audit(service)
  })
})
