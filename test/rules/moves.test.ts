import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readAllWork } from '../../domain/table/readWork.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { Died } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as r from './rules.ts'

// A walk reads users list by list, by status and role. Here users move from one list to another while it does so.

/** How many histories are tried: `HISTORIES=50 SEED=7` for others. The table grows with each, so many seeds take less time than many histories. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 10)
/** More than a history takes on a busy machine. */
const HISTORY_MS = 10_000
const userIds = ['u-0', 'u-1', 'u-2', 'u-3', 'u-4', 'u-5'] as const
const groupIds = ['north', 'south'] as const

let service: Service
beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...userIds.map((id) => ({ id, username: id }))],
    indexes: ['by_id'],
  })
  for (const group of groupIds) await r.newGroup(group)
  await r.firstRule(service)
})

/** What moves a user to another list, and how to move back. */
const actions = ['lockUser', 'unlockUser', 'deactivateUser', 'reactivateUser', 'deleteUser', 'restoreUser'] as const
type Move = { user: string; action: (typeof actions)[number] | 'ADMIN' | 'USER' | 'tag' | 'untag' }
const move = ({ user, action }: Move): Promise<unknown> => {
  const path = { user_id: user }
  if (action === 'ADMIN' || action === 'USER') return call('updateUser', { path, body: { role: action } })
  if (action === 'tag') return call('updateUser', { path, body: { tags: [{ name: 't' }] } })
  if (action === 'untag') return call('updateUser', { path, body: { tags: [] } })
  return call(action, { path })
}

type Interleaved = { after: number; moves: readonly Move[] }

/**
 * Makes moves while `work` goes on: each when it has sent so many requests to the database. From the request `death` on, none of
 * its requests arrives.
 */
async function interleaved(work: () => Promise<unknown>, steps: readonly Interleaved[], death = Infinity) {
  let sent = 0
  let isMoving = false
  service.client.middlewareStack.add(
    (next) => async (args) => {
      if (isMoving) return next(args)
      sent++
      if (sent >= death) throw new Died()
      const due = steps.filter(({ after }) => after === sent)
      if (due.length === 0) return next(args)
      isMoving = true
      try {
        for (const one of due.flatMap(({ moves }) => moves)) await move(one)
      } finally {
        isMoving = false
      }
      return next(args)
    },
    { step: 'initialize', name: 'interleaved' },
  )
  await work()
    .catch(() => {})
    .finally(() => service.client.middlewareStack.remove('interleaved'))
}

/** Lets the schedule do all that is left, minutes later. */
async function finishAll(): Promise<void> {
  for (let run = 0; run < 10; run++) {
    service.setNow(new Date(service.now().getTime() + 180_000))
    await r.later(service, 0)
    if ((await readAllWork(service.store)).length === 0) return
  }
  throw new Error(`Left: ${JSON.stringify(await readAllWork(service.store))}`)
}

const tagged = { conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['t'] }] }

/** Every user holds what rules say, whatever their status. */
async function compare(): Promise<void> {
  await audit(service)
  const rules: Any[] = (await call('listRules', { query: { page_limit: 100 } })).body.rules
  expect(rules.filter(({ state }) => state !== 'READY')).toEqual([])
  for (const user_id of userIds) {
    const { body: user } = await call('getUser', { path: { user_id } })
    if (user.status === 'PENDING_DELETION') continue
    const isTagged = user.tags.length > 0
    for (const group of groupIds) {
      const gives = rules.some(({ user_group, enabled }) => user_group.id === group && enabled)
      expect([user_id, user.status, group, await r.sourceOf(group, user_id)]).toEqual([
        user_id,
        user.status,
        group,
        gives && isTagged ? 'RULE' : undefined,
      ])
    }
  }
}

describe('a user who moves to a list that a walk has passed', () => {
  it.each<[string, Move['action'], Move['action'], Move['action']]>([
    ['by unlocking', 'lockUser', 'unlockUser', 'lockUser'],
    ['by reactivating', 'deactivateUser', 'reactivateUser', 'lockUser'],
    ['by another role', 'ADMIN', 'USER', 'lockUser'],
    ['by restoring', 'deleteUser', 'restoreUser', 'lockUser'],
  ])('%s gets what a new rule gives', async (_how, away, back, other) => {
    const [mover, sitter] = ['u-0', 'u-1']
    for (const user of [mover, sitter]) await move({ user, action: 'tag' })
    await move({ user: mover, action: away })
    // The list of active users has been read when the next one is.
    const moves = [
      { user: mover, action: back },
      { user: sitter, action: other },
    ]
    // Between the marks and the end of the walk; with `CASES=all` before twice as many requests.
    for (let after = 36; after <= 52; after += process.env['CASES'] === 'all' ? 2 : 4) {
      await interleaved(() => r.createRule('moving', 'north', tagged), [{ after, moves }])
      await finishAll()
      await compare()
      await r.deleteRule('moving')
      await finishAll()
      await compare()
      await move({ user: mover, action: away })
      await move({ user: sitter, action: 'unlockUser' })
    }
    await move({ user: mover, action: back })
    for (const user of [mover, sitter]) await move({ user, action: 'untag' })
  })
})

const aMove: fc.Arbitrary<Move> = fc.record({
  user: fc.constantFrom(...userIds),
  action: fc.constantFrom(...actions, ...actions, 'ADMIN' as const, 'USER' as const, 'tag' as const, 'untag' as const),
})
/** Mostly while the walk goes from list to list. */
const anAfter = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 34, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 130 }) },
)
const aStep = fc.record({ after: anAfter, moves: fc.array(aMove, { minLength: 1, maxLength: 5 }) })
const someSteps = fc.array(aStep, { minLength: 1, maxLength: 4 })
const aDeath = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 150 }) },
)
const aChange = fc.record({
  what: fc.constantFrom('create', 'create', 'enable', 'disable', 'delete', 'delete', 'finish'),
  group: fc.constantFrom(...groupIds),
  steps: someSteps,
  death: aDeath,
  before: fc.array(aMove, { maxLength: 6 }),
})

const changes: Record<string, (rule: string, group: string) => Promise<unknown>> = {
  create: (rule, group) => r.createRule(rule, group, tagged),
  enable: (rule) => r.updateRule(rule, { enabled: true }),
  disable: (rule) => r.updateRule(rule, { enabled: false }),
  delete: (rule) => r.deleteRule(rule),
  finish: () => {
    service.setNow(new Date(service.now().getTime() + 30_000))
    return r.later(service, 0)
  },
}

it(
  'everybody holds what rules say, whoever moves while they are applied, and whatever dies',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aChange, { minLength: 3, maxLength: 6 }), async (history) => {
        for (const user of userIds) await move({ user, action: 'tag' })
        for (const { what, group, steps, death, before } of history) {
          for (const one of before) await move(one)
          await interleaved(() => changes[what]?.(`of-${group}`, group) as Promise<unknown>, steps, death)
        }
        await finishAll()
        await compare()
        // Those who were pending deletion meanwhile, too.
        for (const user of userIds) await move({ user, action: 'restoreUser' })
        await finishAll()
        await compare()
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  },
  HISTORY_MS * HISTORIES + 60_000,
)
