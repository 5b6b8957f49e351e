import { beforeAll, expect, it } from 'vitest'
import { applyRules } from '../../domain/jobs/applyRules.ts'
import { readRulesWork, rulesWorkKey } from '../../domain/rules/ruleChange.ts'
import { RULES_ROUND } from '../../domain/table/keys.ts'
import type { Action, OpenStore, Page, Range } from '../../domain/table/store.ts'
import type { Entry } from '../../domain/table/work.ts'
import { userCounts } from '../../domain/users/userCounts.ts'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { Died, strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as r from './rules.ts'

// Two processes at the same entry, one of which stalls until the other is a round ahead.

let service: Service
beforeAll(async () => {
  service = await startService({ users: [...people, { id: 'u-0' }, { id: 'u-1' }], indexes: ['by_id'] })
  for (const group of ['north', 'south']) await r.newGroup(group)
  await r.firstRule(service)
})

type Hooks = {
  query?: (range: Range) => Promise<Page | undefined>
  write?: (actions: readonly Action[]) => Promise<void>
}

/** A process that applies rules; hooks run before its requests. */
function applying({ query, write }: Hooks): Promise<void> {
  const store: OpenStore = {
    ...service.store,
    query: async (range) => {
      return (await query?.(range)) ?? service.store.query(range)
    },
    write: async (actions, share) => {
      await write?.(actions)
      return service.store.write(actions, share)
    },
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

const sets = (name: 'set' | 'clear') => (actions: readonly Action[]) =>
  actions.some((action) => {
    const of = 'update' in action ? action[name] : undefined
    return Array.isArray(of) ? of.includes(RULES_ROUND) : of !== undefined && RULES_ROUND in of
  })
const [marks, unmarks] = [sets('set'), sets('clear')]

it('a process that ends a round late leaves the marks of the next one, also where both know the same rules', async () => {
  await unapplied(() => r.createRule('one', 'north'))
  expect(await readRulesWork(service.store)).toMatchObject({ changes: 1 })
  expect((await readRulesWork(service.store))?.round).toBeUndefined()

  const [stalls, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [isNoted, hasStalled] = [false, false]
  const slow = applying({
    query: async ({ hash }) => {
      if (hash !== 'RULES' || isNoted) return undefined
      isNoted = true
      // The entry has been read, the rules not yet: the round knows this rule, and does not take it.
      await r.createRule('two', 'south')
      return undefined
    },
    write: async (actions) => {
      if (hasStalled && !unmarks(actions)) throw new Died()
      if (!unmarks(actions)) return
      hasStalled = true
      stalls.resolve()
      await goesOn.promise
    },
  })
  // Else it would help with the next round.
  const stopped = slow.catch((error: unknown) => expect(error).toBeInstanceOf(Died))
  await stalls.promise
  const first = (await readRulesWork(service.store))?.round
  expect(first?.taken).toHaveLength(1)

  const [walks, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isMarked = false
  const other = applying({
    write: async (actions) => {
      isMarked ||= marks(actions)
    },
    query: async ({ index }) => {
      if (!isMarked || index !== 'by_id') return undefined
      walks.resolve()
      await ends.promise
      return undefined
    },
  })
  await walks.promise
  const second = (await readRulesWork(service.store))?.round
  expect([second?.edition, second?.taken]).toEqual([first?.edition, [expect.stringContaining('two')]])
  const marked = async () =>
    (await userCounts.read(service.store, 'now')).filter((shard) => shard[RULES_ROUND] !== undefined).length
  const before = await marked()
  expect(before).toBeGreaterThan(0)
  goesOn.resolve()
  await stopped
  expect(await marked()).toBe(before)
  ends.resolve()
  await other
  expect(await marked()).toBe(0)
  await r.later(service)
  for (const rule of ['one', 'two']) expect((await r.readRule(rule)).state).toBe('READY')
  await audit(service)
})

it('a user who is deleted just before a walk loses what a deleted rule gave, also where the index is late', async () => {
  const lost = { tags: [{ name: 'lost' }] }
  await r.updateUser('u-0', lost)
  const conditions = [{ field: 'TAG', operator: 'EQUALS', values: ['lost'] }]
  await r.createRule('lost', 'north', { conditions })
  expect(await r.sourceOf('north', 'u-0')).toBe('RULE')
  await call('deleteUser', { path: { user_id: 'u-0' } })
  await unapplied(() => r.deleteRule('lost'))
  let isLate = true
  await applying({
    query: async ({ index, hash }) => {
      if (!isLate || index !== 'by_id' || !hash.includes('PENDING_DELETION')) return undefined
      isLate = hash.includes('USER') ? false : isLate
      return { items: [], count: 0 }
    },
  })
  expect(isLate).toBe(false)
  await r.later(service, 400)
  expect((await r.readRule('lost')).error_code).toBe('RULE_NOT_FOUND')
  await call('restoreUser', { path: { user_id: 'u-0' } })
  expect(await r.sourceOf('north', 'u-0')).toBeUndefined()
  await audit(service)
})
