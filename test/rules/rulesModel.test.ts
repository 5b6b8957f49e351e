import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { userKey } from '../../domain/table/keys.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type StoreFault, strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from '../tasks/work.ts'
import * as r from './rules.ts'

// A model of users, groups and rules: what each user holds, after changes of all of them, under faults, and at the same time.
// `RUNS=20 npx vitest run test/rules/rulesModel.test.ts` makes thousands of steps.

const userIds = Array.from({ length: 6 }, (_, n) => `u-${n}`)
const groupIds = ['north', 'south', 'west']
const roleIds = ['group-member', 'coach']
const ruleIds = Array.from({ length: 5 }, (_, n) => `r-${n}`)
const departments = ['Sales', 'Legal', 'Ärzte']

let service: Service
beforeAll(async () => {
  service = await startService({
    indexes: ['by_id'],
    remembers: true,
    users: [...people, ...userIds.map((id) => ({ id, first_name: id, last_name: id }))],
  })
  letTimePass()
  await r.firstRule(service)
  for (const group of groupIds) await r.newGroup(group)
  await w.newChannel(service.store, 'news', { owner: 'admin', groups: ['north', 'south'] })
})

/** Each look at the clock is a millisecond later: an assignment that ends and comes again has its events in this order. */
function letTimePass(): void {
  environment.clock = () => {
    service.setNow(new Date(service.now().getTime() + 1))
    return service.now()
  }
}

type Source = 'MANUAL' | 'PRIMARY' | 'RULE'
type User = { department: string | null; tags: string[]; primary: string; isLeaving: boolean; was: Source | null }
type Rule = { place: string; enabled: boolean; excepted: string | null; fits: (user: User) => boolean }
type Model = {
  users: Map<string, User>
  rules: Map<string, Rule>
  archived: Set<string>
  /** The source of what a user holds, by user and place. */
  held: Map<string, Map<string, Source>>
}

type Step = { name: string; user: string; group: string; role: string; rule: string; n: number; flag: boolean }
const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(
    ...['department', 'department', 'department', 'tag', 'tag', 'primary', 'primary', 'both', 'lock', 'rename'],
    ...['visit', 'visit', 'visit', 'visit', 'visit', 'visit'],
    ...['give', 'give', 'take', 'take', 'delete', 'restore', 'restore'],
    ...['createRule', 'createRule', 'conditions', 'conditions', 'enabled', 'enabled', 'deleteRule'],
    ...['except', 'except', 'retitle'],
    ...['archive', 'wake', 'wake'],
  ),
  user: fc.constantFrom(...userIds),
  group: fc.constantFrom(...groupIds),
  role: fc.constantFrom(...roleIds),
  rule: fc.constantFrom(...ruleIds),
  n: fc.nat(2),
  flag: fc.boolean(),
})

/** A rule that most users match: so some of them go to another primary group and come back while a rule gives the membership. */
const wide: Step = {
  name: 'createRule',
  user: '',
  group: 'north',
  role: 'group-member',
  rule: 'r-0',
  n: 2,
  flag: false,
}

/** The conditions of a rule as a call gives them, and whom they fit. */
function conditionsOf({ n, flag }: Step): { body: object; fits: (user: User) => boolean } {
  const value = departments[n] as string
  if (flag)
    return {
      body: {
        match: 'ALL',
        conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: [value.toUpperCase()] }],
      },
      fits: ({ department }) => department === value,
    }
  if (n === 0)
    return {
      body: { match: 'ANY', conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['RED', 'blue'] }] },
      fits: ({ tags }) => tags.includes('red') || tags.includes('blue'),
    }
  if (n === 1)
    return {
      body: { conditions: [{ field: 'PRIMARY_USER_GROUP', operator: 'EQUALS', values: ['north', 'west'] }] },
      fits: ({ primary }) => primary === 'north' || primary === 'west',
    }
  return {
    body: {
      match: 'ANY',
      conditions: [
        { field: 'ATTRIBUTE:department', operator: 'IS_NOT_SET' },
        { field: 'TAG', operator: 'NOT_EQUALS', values: ['red'] },
      ],
    },
    fits: ({ department, tags }) => department === null || !tags.includes('red'),
  }
}

const placeOf = (group: string, role: string): string => `${group}#${role}`
const groupOf = (place: string): string => place.split('#')[0] ?? ''
const tagsOf = (n: number): string[] => [[], ['red'], ['blue', 'green']][n] as string[]

// What the model says.

const rulesOf = ({ rules }: Model, place: string): Rule[] => [...rules.values()].filter((rule) => rule.place === place)
const isGoverned = (model: Model, place: string): boolean =>
  rulesOf(model, place).length > 0 && !model.archived.has(groupOf(place))
const isWanted = (model: Model, place: string, id: string): boolean =>
  isGoverned(model, place) &&
  rulesOf(model, place).some(
    ({ enabled, excepted, fits }) => enabled && excepted !== id && fits(model.users.get(id) as User),
  )
const heldBy = ({ held }: Model, user: string): Map<string, Source> => held.get(user) as Map<string, Source>

/** What rules give to a user and take from them, in one place. */
function settle(model: Model, id: string, place: string): void {
  const held = heldBy(model, id)
  if (model.users.get(id)?.isLeaving) return
  if (isWanted(model, place, id)) held.set(place, held.get(place) ?? 'RULE')
  else if (held.get(place) === 'RULE') held.delete(place)
}

function settleAll(model: Model, id: string): void {
  for (const place of places) if (isGoverned(model, place)) settle(model, id, place)
}
const places = [...groupIds, 'first'].flatMap((group) => roleIds.map((role) => placeOf(group, role)))

/** A changed rule is applied to all users, unless its group is archived and has rules for the place still. */
function apply(model: Model, place: string): void {
  const hasRules = rulesOf(model, place).length > 0
  if (hasRules && !isGoverned(model, place)) return
  for (const id of model.users.keys()) {
    settle(model, id, place)
    // Users pending deletion keep what rules give, but not what no rule gives.
    if (!hasRules && heldBy(model, id).get(place) === 'RULE') heldBy(model, id).delete(place)
  }
}

function movePrimary(model: Model, id: string, to: string): void {
  const user = model.users.get(id) as User
  const held = heldBy(model, id)
  if (user.primary === to) return
  const [left, gained] = [placeOf(user.primary, 'group-member'), placeOf(to, 'group-member')]
  const was = user.was
  user.was = held.get(gained) ?? null
  held.set(gained, 'PRIMARY')
  held.delete(left)
  user.primary = to
  if (was === 'MANUAL') held.set(left, 'MANUAL')
  else if (!user.isLeaving && isWanted(model, left, id)) held.set(left, 'RULE')
  else if (was === 'RULE' && (user.isLeaving || !isGoverned(model, left))) held.set(left, 'RULE')
}

type Expected = number | string
type Take = { predict: (model: Model, step: Step) => Expected; run: (step: Step) => Promise<Reply> }

const changing =
  (change: (user: User, step: Step, model: Model) => void) =>
  (model: Model, one: Step): Expected => {
    const user = model.users.get(one.user) as User
    if (user.isLeaving) return 'USER_MODIFICATION_NOT_ALLOWED'
    change(user, one, model)
    settleAll(model, one.user)
    return 200
  }
const patching =
  (body: (step: Step) => object) =>
  (one: Step): Promise<Reply> =>
    r.updateUser(one.user, body(one))
/** Mostly the group of the rule that most users match. */
const visited = ({ group, flag }: Step): string => (flag ? wide.group : group)
const primaryOf = ({ group, flag }: Step): string => (flag ? 'all-users' : group)
const movingPrimary = (user: User, one: Step, model: Model, change: () => void = () => {}): boolean => {
  const to = primaryOf(one)
  if (model.archived.has(to)) return false
  change()
  movePrimary(model, one.user, to)
  return user.primary === to
}
const path = ({ user }: Step) => ({ path: { user_id: user } })

const takes: Record<string, Take> = {
  department: {
    predict: changing((user, { n }) => {
      user.department = departments[n] as string
    }),
    run: patching(({ n }) => r.department(departments[n] as string)),
  },
  tag: {
    predict: changing((user, { n }) => {
      user.tags = tagsOf(n)
    }),
    run: patching(({ n }) => ({ tags: tagsOf(n).map((name) => ({ name })) })),
  },
  primary: {
    predict: (model, one) => {
      if (model.archived.has(primaryOf(one))) return 'UNKNOWN_USER_GROUP_ID'
      return changing((user) => void movingPrimary(user, one, model))(model, one)
    },
    run: patching((one) => ({ primary_user_group_id: primaryOf(one) })),
  },
  // The membership waits behind the primary group, and comes back as what it was: its events must fit each other.
  visit: {
    predict: (model, one) => {
      const group = visited(one)
      if (model.archived.has(group)) return 'UNKNOWN_USER_GROUP_ID'
      const moving = (to: string) => changing(() => movePrimary(model, one.user, to))(model, one)
      const there = moving(group)
      return there === 200 ? moving('all-users') : there
    },
    run: async (one) => {
      const there = await r.updateUser(one.user, { primary_user_group_id: visited(one) })
      return there.status === 200 ? r.updateUser(one.user, { primary_user_group_id: null }) : there
    },
  },
  both: {
    predict: (model, one) => {
      if (model.archived.has(primaryOf(one))) return 'UNKNOWN_USER_GROUP_ID'
      return changing((user) => {
        movingPrimary(user, one, model, () => {
          user.department = null
          user.tags = tagsOf(one.n)
        })
        user.department = null
        user.tags = tagsOf(one.n)
      })(model, one)
    },
    run: patching((one) => ({
      primary_user_group_id: primaryOf(one),
      attributes: null,
      tags: tagsOf(one.n).map((name) => ({ name })),
    })),
  },
  rename: {
    predict: changing(() => {}),
    run: patching(({ n, group }) => ({ last_name: `${group} ${n}` })),
  },
  lock: {
    predict: (model, { user }) => (model.users.get(user)?.isLeaving ? 'USER_MODIFICATION_NOT_ALLOWED' : 200),
    run: async (one) => {
      const reply = await call('lockUser', path(one))
      await call('unlockUser', path(one))
      return reply
    },
  },
  give: {
    predict: (model, { user, group, role }) => {
      if (model.archived.has(group)) return 'USER_GROUP_ARCHIVED'
      if (model.users.get(user)?.isLeaving) return 'USER_NOT_ASSIGNABLE'
      const held = heldBy(model, user)
      if (held.has(placeOf(group, role))) return 'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS'
      held.set(placeOf(group, role), 'MANUAL')
      return 201
    },
    run: ({ user, group, role }) => r.give(group, user, role),
  },
  take: {
    predict: (model, { user, group, role }) => {
      const held = heldBy(model, user)
      const place = placeOf(group, role)
      if (!held.has(place)) return 'USER_GROUP_ASSIGNMENT_NOT_FOUND'
      if (held.get(place) !== 'MANUAL') return 'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN'
      held.delete(place)
      settle(model, user, place)
      return 200
    },
    run: ({ user, group, role }) => r.withdraw(group, user, role),
  },
  delete: {
    predict: (model, { user }) => {
      ;(model.users.get(user) as User).isLeaving = true
      return 200
    },
    run: (one) => call('deleteUser', path(one)),
  },
  restore: {
    predict: (model, { user: id }) => {
      const user = model.users.get(id) as User
      if (!user.isLeaving) return 'USER_NOT_RESTORABLE'
      user.isLeaving = false
      settleAll(model, id)
      return 200
    },
    run: (one) => call('restoreUser', path(one)),
  },
  createRule: {
    predict: (model, one) => {
      if (model.archived.has(one.group)) return 'USER_GROUP_ARCHIVED'
      if (model.rules.has(one.rule)) return 'DUPLICATE_ID'
      const place = placeOf(one.group, one.role)
      model.rules.set(one.rule, { place, enabled: true, excepted: null, fits: conditionsOf(one).fits })
      apply(model, place)
      return 201
    },
    run: (one) => r.createRule(one.rule, one.group, { role_id: one.role, ...conditionsOf(one).body }),
  },
  conditions: {
    predict: ofRule((rule, one) => {
      rule.fits = conditionsOf(one).fits
    }),
    run: (one) => r.updateRule(one.rule, { match: 'ALL', ...conditionsOf(one).body }),
  },
  enabled: {
    predict: (model, one) => {
      const rule = model.rules.get(one.rule)
      if (rule && one.flag && !rule.enabled && model.archived.has(groupOf(rule.place))) return 'USER_GROUP_ARCHIVED'
      return ofRule((changed) => {
        changed.enabled = one.flag
      })(model, one)
    },
    run: ({ rule, flag }) => r.updateRule(rule, { enabled: flag }),
  },
  except: {
    predict: ofRule((rule, { user, flag }) => {
      rule.excepted = flag ? user : null
    }),
    run: ({ rule, user, flag }) => r.updateRule(rule, { except_user_ids: flag ? [user] : null }),
  },
  retitle: { predict: ofRule(() => {}), run: ({ rule, n }) => r.updateRule(rule, { title: `Title ${n}` }) },
  deleteRule: {
    predict: (model, { rule: id }) => {
      const rule = model.rules.get(id)
      if (!rule) return 'RULE_NOT_FOUND'
      model.rules.delete(id)
      apply(model, rule.place)
      return 204
    },
    run: ({ rule }) => r.deleteRule(rule),
  },
  archive: {
    predict: (model, { group }) => {
      if (model.archived.has(group)) return 'USER_GROUP_ARCHIVED'
      model.archived.add(group)
      for (const [id, user] of model.users) {
        if (user.primary !== group) continue
        movePrimary(model, id, 'all-users')
        if (!user.isLeaving) settleAll(model, id)
      }
      return 200
    },
    run: ({ group }) => call('archiveGroup', { path: { group_id: group } }),
  },
  wake: {
    predict: (model, { group }) => {
      if (!model.archived.delete(group)) return 'USER_GROUP_NOT_ARCHIVED'
      for (const role of roleIds)
        if (rulesOf(model, placeOf(group, role)).length > 0) apply(model, placeOf(group, role))
      return 200
    },
    run: ({ group }) => call('restoreGroup', { path: { group_id: group } }),
  },
}

function ofRule(change: (rule: Rule, step: Step) => void): Take['predict'] {
  return (model, one) => {
    const rule = model.rules.get(one.rule)
    if (!rule) return 'RULE_NOT_FOUND'
    change(rule, one)
    apply(model, rule.place)
    return 200
  }
}

const take = (one: Step): Promise<Reply> => (takes[one.name] as Take).run(one)
const predicted = (model: Model, one: Step): Expected => (takes[one.name] as Take).predict(model, one)

/** Brings everything back to where a run begins. */
async function begin(): Promise<Model> {
  for (const group of groupIds) await call('restoreGroup', { path: { group_id: group } })
  for (const id of userIds) {
    await call('restoreUser', { path: { user_id: id } })
    const { status } = await r.updateUser(id, { attributes: null, tags: null, primary_user_group_id: null })
    expect(status).toBe(200)
  }
  for (const rule of ruleIds) await r.deleteRule(rule)
  await r.later(service)
  for (const id of userIds)
    for (const place of Object.keys(await heldNow(id))) {
      const [group = '', role = ''] = place.split('#')
      if (group !== 'all-users') await r.withdraw(group, id, role)
    }
  return {
    users: new Map(
      userIds.map((id) => [id, { department: null, tags: [], primary: 'all-users', isLeaving: false, was: null }]),
    ),
    rules: new Map(),
    archived: new Set(),
    held: new Map(userIds.map((id) => [id, new Map([[placeOf('all-users', 'group-member'), 'PRIMARY' as const]])])),
  }
}

/** What a user holds in groups, as the table has it. */
async function heldNow(id: string): Promise<Record<string, string>> {
  const { items } = await service.store.query({ hash: userKey(id).pk, beginsWith: 'GA#', consistent: true })
  return Object.fromEntries(items.map(({ sk, source }) => [sk.slice('GA#'.length), String(source)]))
}

/** Everything that the table, channels and events say agrees with the model. */
async function compare(model: Model): Promise<void> {
  for (const [id, held] of model.held) expect(await heldNow(id), id).toEqual(Object.fromEntries(held))
  await compareWithTable()
}

/** Channel members and events agree with what users hold. */
async function compareWithTable(): Promise<void> {
  await audit(service)
  const channel = await call('listChannelAssignments', { path: { channel_id: 'news' }, query: { page_limit: 100 } })
  const members = new Set(
    channel.body.assignments.filter(({ source }: Any) => source === 'USER_GROUP').map(({ id }: Any) => id.user_id),
  )
  const status = async (group_id: string) => (await call('getGroup', { path: { group_id } })).body.status
  const active = new Set<string>()
  for (const group of ['north', 'south']) if ((await status(group)) === 'ACTIVE') active.add(group)
  for (const id of userIds) {
    const held = await heldNow(id)
    const isMember = Object.keys(held).some((place) => active.has(groupOf(place)))
    expect(members.has(id), `${id} is a member of the channel`).toBe(isMember)
    // No group is primary by this role, so events tell all of it.
    const ofCoach = (places: Record<string, string>) =>
      Object.fromEntries(Object.entries(places).filter(([place]) => place.endsWith('#coach')))
    if ((await call('getUser', { path: { user_id: id } })).body.status !== 'PENDING_DELETION')
      expect(ofCoach(await r.heldByEvents(id)), `events of ${id}`).toEqual(ofCoach(held))
  }
}

/** Only what exists at a comparison has its events checked from the first to the last. */
const STEPS_BETWEEN = 10

it('one after the other, whatever the store does', async () => {
  const fault = fc.constantFrom<StoreFault | undefined>(undefined, undefined, 'conflict', 'throttle', 'lostAnswer')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fault, fc.integer({ min: 1, max: 12 })), { minLength: 30, maxLength: 40 }),
      async (steps) => {
        const model = await begin()
        const opening = [wide, ...userIds.map((user): Step => ({ ...wide, name: 'visit', user }))]
        for (const one of opening) expect((await take(one)).status).toBe(predicted(model, one))
        await compare(model)
        for (const [nth, [one, kind, when]] of steps.entries()) {
          const expected = predicted(model, one)
          const { heal } = strike(service.client, (n) => (n === when ? kind : undefined))
          const reply = await take(one).finally(heal)
          expect(reply.body?.error_code ?? reply.status, JSON.stringify(one)).toBe(expected)
          if ((nth + 1) % STEPS_BETWEEN > 0 && nth + 1 < steps.length) continue
          await r.later(service)
          await compare(model)
        }
      },
    ),
    { numRuns: runs(2), endOnFailure: true },
  )
})

it('when processes die after any request, and others go on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.integer({ min: 0, max: 25 })), { minLength: 15, maxLength: 25 }),
      async (steps) => {
        await begin()
        for (const [one, when] of steps) {
          const { heal } = strike(service.client, (n) => (n === when ? 'death' : undefined))
          await take(one)
            .catch(() => {})
            .finally(heal)
        }
        await r.later(service)
        await compareWithTable()
      },
    ),
    { numRuns: runs(2), endOnFailure: true },
  )
})

it('all at once, with requests that are held back', async () => {
  const possible = [
    ...[200, 201, 204, 'USER_MODIFICATION_NOT_ALLOWED', 'UNKNOWN_USER_GROUP_ID', 'USER_NOT_RESTORABLE'],
    ...['USER_GROUP_ARCHIVED', 'USER_GROUP_NOT_ARCHIVED', 'USER_NOT_ASSIGNABLE', 'USER_GROUP_ASSIGNMENT_NOT_FOUND'],
    ...[
      'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS',
      'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN',
      'RULE_NOT_FOUND',
      'DUPLICATE_ID',
    ],
    ...['CONCURRENT_MODIFICATION', 'SERVICE_UNAVAILABLE'],
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 7 }), { minLength: 4, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 6 }),
      async (waves, held) => {
        await begin()
        for (const steps of waves) {
          const release = holdBack(new Set(held))
          const replies = Promise.all(steps.map(take))
          await release.after(replies)
          for (const { status, body } of await replies) expect(possible).toContain(body?.error_code ?? status)
        }
        await r.later(service)
        await compareWithTable()
      },
    ),
    { numRuns: runs(2), endOnFailure: true },
  )
})

/** Holds back the writes with these numbers until all other calls are done, or nothing else goes on. */
function holdBack(numbers: ReadonlySet<number>) {
  let writes = 0
  let underway = 0
  const waiting: (() => void)[] = []
  let isOpen = false
  service.client.middlewareStack.add(
    (next, context) => async (args) => {
      const isWrite = String(context['commandName']).startsWith('TransactWrite')
      if (isWrite && numbers.has(++writes) && !isOpen) await new Promise<void>((resolve) => waiting.push(resolve))
      underway++
      return next(args).finally(() => {
        underway--
      })
    },
    { step: 'initialize', name: 'holdBack' },
  )
  const open = (): void => {
    for (const go of waiting.splice(0)) go()
  }
  return {
    after: async (calls: Promise<unknown>): Promise<void> => {
      // Twice without a request: the others have gone as far as they can.
      let idle = 0
      const look = (): void => {
        idle = underway === 0 ? idle + 1 : 0
        if (idle > 1) open()
      }
      const looks = setInterval(look, 5)
      await calls.catch(() => {}).finally(() => clearInterval(looks))
      isOpen = true
      open()
      service.client.middlewareStack.remove('holdBack')
    },
  }
}
