import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { runs, SEED } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { apply, cancel, changes, create, faults, get, work } from './plans.ts'

// Random people, a plan for some of them, other calls in between, and a process that dies again and again. What was done are the
// changes whose conditions still held, each once; and taking it back leaves everybody as they were before.

const crowd = Array.from({ length: 12 }, (_, n) => `m-${String(n).padStart(2, '0')}`)
const everyone = [...crowd, ...people.map(({ id = '' }) => id)]
const attributes = ['note', 'location', 'department', 'job_title'].map((name) => ({ name, value: 'Crew' }))
const groupRole = { user_group_id: 'all-users', role_id: 'group-owner' }

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crowd.map((id) => ({ id, username: id, attributes }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

/** Texts are in the language of the caller, whom a plan may change. */
const headers = { 'accept-language': 'en-GB' }
/** Everybody as answered, without what each change moves on. */
async function everybody(): Promise<Map<string, Any>> {
  const roles = (
    await call('listGroupAssignments', {
      path: { group_id: 'all-users' },
      query: { role_ids: 'group-owner', page_limit: 100 },
    })
  ).body.assignments
  const owners = new Set(roles.map(({ user }: Any) => user.id))
  const all: Any[] = (await call('listUsers', { query: { page_limit: 100 }, headers })).body.users
  return new Map(
    all.map(({ updated_at: _, tags, ...user }) => [
      user.id,
      { ...user, tags: tags.map(({ name }: Any) => name), isOwner: owners.has(user.id) },
    ]),
  )
}

const single: Record<string, (user_id: string) => Promise<unknown>> = {
  LOCK: (user_id) => call('lockUser', { path: { user_id } }),
  UNLOCK: (user_id) => call('unlockUser', { path: { user_id } }),
  DEACTIVATE: (user_id) => call('deactivateUser', { path: { user_id } }),
  REACTIVATE: (user_id) => call('reactivateUser', { path: { user_id } }),
  DELETE: (user_id) => call('deleteUser', { path: { user_id } }),
  RESTORE: (user_id) => call('restoreUser', { path: { user_id } }),
  PLACE: (user_id) => call('updateUser', { path: { user_id }, body: { attributes: { note: null, location: 'Kiel' } } }),
  TAG: (user_id) => call('updateUser', { path: { user_id }, body: { tags: [{ name: 'other' }] } }),
  CREW: (user_id) => call('updateUser', { path: { user_id }, body: { tags: [{ name: 'crew' }] } }),
  SALES: (user_id) => call('updateUser', { path: { user_id }, body: { attributes: { department: 'Sales' } } }),
  GIVE: (user_id) =>
    call('createGroupAssignment', { path: { group_id: 'all-users' }, body: { user_id, role_id: 'group-owner' } }),
  TAKE: (user_id) =>
    call('deleteGroupAssignment', { path: { group_id: 'all-users', user_id, role_id: 'group-owner' } }),
}
const calls = fc.array(fc.record({ user: fc.constantFrom(...crowd), what: fc.constantFrom(...Object.keys(single)) }), {
  maxLength: 6,
})
type Calls = { user: string; what: string }[]
async function make(some: Calls): Promise<void> {
  for (const { user, what } of some) await single[what]?.(user)
}

const action = fc.constantFrom('LOCK', 'UNLOCK', 'DEACTIVATE', 'REACTIVATE', 'DELETE', 'RESTORE')
const change = fc.oneof(
  action.map((one) => ({ action: one })),
  fc.constantFrom<object>(
    { update: { tags: { add: ['new'], remove: ['crew'] } } },
    { update: { attributes: { department: 'Night', location: null } } },
    { update: { attributes: [{ name: 'joined_on', value: '2026-01-01' }], tags: null } },
    { update: { preferred_language: 'de-DE', tags: [{ name: 'only' }] } },
    { assign: groupRole },
    { unassign: groupRole },
  ),
)
const select = fc.constantFrom<object>(
  { all: true },
  { tag: 'crew' },
  { status: ['ACTIVE', 'LOCKED'], role: 'USER' },
  { search_term: 'm-0' },
  { attribute_technical_name: 'department', attribute_value: 'Sales' },
  { user_group_id: 'all-users', role_id: 'group-owner' },
  { user_ids: crowd.slice(2, 9) },
)

/** Lets a worker do all there is to do, though it dies after some of its writes. */
async function through(id: string, deaths: readonly number[], between: Calls = [], isCancelled = false): Promise<void> {
  for (const nth of deaths) {
    const { heal } = dieAfterWrite(service.client, nth)
    await work(service, id).catch(() => undefined)
    heal()
    // The lease of the dead process ends.
    service.setNow(new Date(service.now().getTime() + 11_000))
    await make(between.splice(0, 2))
  }
  if (isCancelled) await cancel(id)
  service.setNow(new Date(service.now().getTime() + 11_000))
  await work(service, id)
}

const shownAs = (user: Any, field: string): unknown => {
  if (field.startsWith('attribute:'))
    return user.attributes.find(({ name }: Any) => name === field.slice('attribute:'.length))?.value ?? null
  if (field.startsWith('user_group_assignment:')) return user.isOwner ? 'MANUAL' : null
  if (field === 'primary_user_group') return user.primary_user_group.id
  return user[field] ?? null
}
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value)
const has = (user: Any, fields: Any[], side: 'before' | 'after'): boolean =>
  fields.every((one) => JSON.stringify(sorted(shownAs(user, one.field))) === JSON.stringify(sorted(one[side])))

const history = fc.record({
  start: calls,
  select,
  change,
  beforeApply: calls,
  during: calls,
  deaths: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  undoDeaths: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
  /** Whether somebody cancels the plan after the first death. */
  isCancelled: fc.boolean(),
})

it('what was done is what was planned and still held, each once, and an undo takes all of it back', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (one) => {
      const { start, select, change, beforeApply, during, deaths, undoDeaths, isCancelled } = one
      await make(start)
      const made = (await create({ kind: 'SELECTION', select, change })).body
      await through(made.id, deaths)
      const plan = await get(made.id)
      expect(plan.state).toBe('READY')
      const planned = await changes(made.id)
      const found = await everybody()
      expect(new Set(planned.map(({ user }) => user.id)).size).toBe(planned.length)
      expect([planned.length, (await faults(made.id)).length]).toEqual([plan.counts.planned, plan.counts.faults])
      for (const { user, fields } of planned) expect(has(found.get(user.id), fields, 'before')).toBe(true)

      await make(beforeApply)
      const before = await everybody()
      expect((await apply(made.id, planned.length)).status).toBe(202)
      const others = new Set(during.map(({ user }) => user))
      if (isCancelled) {
        await through(made.id, deaths.slice(0, 1), [...during], true)
        await through(made.id, deaths.slice(1))
      } else await through(made.id, deaths, [...during])
      const done = await get(made.id)
      expect(isCancelled ? ['DONE', 'CANCELLED'] : ['DONE']).toContain(done.state)
      const outcomes = await changes(made.id)
      const after = await everybody()
      for (const { user, fields, outcome, action } of outcomes) {
        const [was, is] = [before.get(user.id), after.get(user.id)]
        if (others.has(user.id)) continue
        if (outcome === 'DONE') expect(has(is, fields, 'after'), action).toBe(true)
        else {
          // What the service refuses by now, of somebody whose state has changed.
          if (outcome === 'FAILED') expect(was.status).not.toBe(found.get(user.id).status)
          expect(is, `${action} ${outcome}`).toEqual(was)
        }
        if (!has(was, fields, 'before')) expect(outcome).not.toBe('DONE')
      }
      const planners = new Set(outcomes.map(({ user }) => user.id))
      for (const id of everyone) if (!planners.has(id) && !others.has(id)) expect(after.get(id)).toEqual(before.get(id))
      const madeChanges = outcomes.filter(({ outcome }) => outcome === 'DONE')
      expect(done.counts).toMatchObject({ done: madeChanges.length })
      const left = outcomes.filter(({ outcome }) => outcome === 'PLANNED').length
      expect(done.state === 'CANCELLED' ? left : 0).toBe(left)
      expect(done.counts.skipped + done.counts.failed + left).toBe(outcomes.length - madeChanges.length)
      if (madeChanges.length === 0 && done.state === 'CANCELLED') return audit(service)

      const undo = (await create({ kind: 'UNDO', plan_id: made.id })).body
      await through(undo.id, undoDeaths)
      const ready = await get(undo.id)
      expect(ready).toMatchObject({ state: 'READY', counts: { rows: madeChanges.length } })
      expect((await apply(undo.id, ready.counts.planned)).status).toBe(202)
      await through(undo.id, undoDeaths)
      expect(await get(undo.id)).toMatchObject({ state: 'DONE', counts: { failed: 0, skipped: ready.counts.skipped } })
      const back = await everybody()
      for (const id of everyone) if (!others.has(id)) expect(back.get(id), id).toEqual(before.get(id))
      await audit(service)
    }),
    { numRuns: runs(40), seed: SEED },
  )
}, 3_600_000)
