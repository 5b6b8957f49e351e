import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// The primary group and the assignments given by hand, through any sequence of changes, against a model of both.

const groups = ['all-users', 'sales', 'root'] as const
const role_id = 'group-member'

type Model = { primary: string; byHand: Set<string> }
type Step = { how: string; group: string; batch: boolean }

let service: Service
beforeAll(async () => {
  service = await startService()
})

const step: fc.Arbitrary<Step> = fc.record({
  how: fc.constantFrom(
    'assign',
    'assign',
    'withdraw',
    'move',
    'move',
    'reset',
    'rename',
    'lock and unlock',
    'delete and restore',
  ),
  group: fc.constantFrom(...groups),
  batch: fc.boolean(),
})

/** What the contract says a step comes to; the model changes with it. */
function expected(model: Model, { how, group }: Step): string | number {
  if (how === 'assign') {
    if (model.primary === group || model.byHand.has(group)) return 'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS'
    model.byHand.add(group)
    return 201
  }
  if (how === 'withdraw') {
    if (model.primary === group) return 'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN'
    return model.byHand.delete(group) ? 200 : 'USER_GROUP_ASSIGNMENT_NOT_FOUND'
  }
  if (how === 'move') model.primary = group
  if (how === 'reset') model.primary = 'all-users'
  return 200
}

async function done(user_id: string, { how, group, batch }: Step): Promise<string | number> {
  const path = { group_id: group, user_id, role_id }
  const act = (name: string) => call(name, { path: { user_id } })
  const patch = (body: object) =>
    batch
      ? call('updateUsers', { body: { items: [{ id: user_id, body }] } })
      : call('updateUser', { path: { user_id }, body })
  const steps: Record<string, () => ReturnType<typeof call>> = {
    assign: () => call('createGroupAssignment', { path: { group_id: group }, body: { role_id, user_id } }),
    withdraw: () => call('deleteGroupAssignment', { path }),
    move: () => patch({ primary_user_group_id: group }),
    reset: () => patch({ primary_user_group_id: null, first_name: 'Reset' }),
    rename: () => patch({ last_name: group, first_name: `${service.now().getTime()}` }),
    'lock and unlock': () => act('lockUser').then(() => act('unlockUser')),
    'delete and restore': () => act('deleteUser').then(() => act('restoreUser')),
  }
  const { status, body } = await (steps[how] as () => ReturnType<typeof call>)()
  const item = body.items?.[0]
  return item ? (item.error?.error_code ?? item.status) : (body.error_code ?? status)
}

async function sources(user_id: string): Promise<Record<string, string | undefined>> {
  const all = await Promise.all(
    groups.map((group_id) => call('getGroupAssignment', { path: { group_id, user_id, role_id } })),
  )
  return Object.fromEntries(groups.map((group, n) => [group, all[n]?.body.source]))
}

describe('the primary group', () => {
  it('makes an assignment PRIMARY, and gives it back as it was when it moves on', async () => {
    let users = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('all-users', 'sales', null),
        fc.array(step, { minLength: 4, maxLength: 10 }),
        async (first, steps) => {
          const id = `user-${++users}`
          const body = { id, username: id, first_name: 'A', last_name: 'B', primary_user_group_id: first }
          expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
          const model: Model = { primary: first ?? 'all-users', byHand: new Set() }
          for (const one of steps) {
            expect(await done(id, one), JSON.stringify(one)).toBe(expected(model, one))
            const hand = (group: string) => (model.byHand.has(group) ? 'MANUAL' : undefined)
            expect(await sources(id)).toEqual(
              Object.fromEntries(groups.map((group) => [group, model.primary === group ? 'PRIMARY' : hand(group)])),
            )
          }
          const { body: user } = await call('getUser', { path: { user_id: id } })
          expect(user.primary_user_group.id).toBe(model.primary)
        },
      ),
      { numRuns: runs(6) },
    )
    await audit(service)
  })
})
