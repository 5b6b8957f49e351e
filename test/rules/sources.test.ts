import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from '../tasks/work.ts'
import * as r from './rules.ts'

// MANUAL, PRIMARY and RULE for one user, role and group: what is shown, given and taken, in every state and order.

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  await r.firstRule(service)
})

/** What a user has in one place. */
type Has = { manual: boolean; primary: boolean; matching: boolean; enabled: boolean }
const shown = ({ manual, primary, matching, enabled }: Has): string | undefined =>
  primary ? 'PRIMARY' : manual ? 'MANUAL' : matching && enabled ? 'RULE' : undefined

type Names = { user: string; group: string; rule: string }
type Operation = {
  run: (names: Names) => Promise<Reply>
  /** Changes what the user has, and answers the status that the call has, or its code. */
  expected: (has: Has) => number | string
}

const patch =
  (body: (names: Names) => object) =>
  ({ user, ...names }: Names): Promise<Reply> =>
    r.updateUser(user, body({ user, ...names }))
const always =
  (change: (has: Has) => void) =>
  (has: Has): number => {
    change(has)
    return 200
  }

const operations: Record<string, Operation> = {
  give: {
    run: ({ group, user }) => r.give(group, user),
    expected: (has) => {
      if (shown(has)) return 'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS'
      has.manual = true
      return 201
    },
  },
  take: {
    run: ({ group, user }) => r.withdraw(group, user),
    expected: (has) => {
      const source = shown(has)
      if (!source) return 'USER_GROUP_ASSIGNMENT_NOT_FOUND'
      if (source !== 'MANUAL') return 'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN'
      has.manual = false
      return 200
    },
  },
  matching: {
    run: patch(() => r.department('Sales')),
    expected: always((has) => {
      has.matching = true
    }),
  },
  'not matching': {
    run: patch(() => r.department('Legal')),
    expected: always((has) => {
      has.matching = false
    }),
  },
  primary: {
    run: patch(({ group }) => ({ primary_user_group_id: group })),
    expected: always((has) => {
      has.primary = true
    }),
  },
  'not primary': {
    run: patch(() => ({ primary_user_group_id: null })),
    expected: always((has) => {
      has.primary = false
    }),
  },
  'matching and primary': {
    run: patch(({ group }) => ({ ...r.department('Sales'), primary_user_group_id: group })),
    expected: always((has) => {
      has.matching = true
      has.primary = true
    }),
  },
  'not matching and not primary': {
    run: patch(() => ({ ...r.department(null), primary_user_group_id: null })),
    expected: always((has) => {
      has.matching = false
      has.primary = false
    }),
  },
  disable: {
    run: ({ rule }) => r.updateRule(rule, { enabled: false }),
    expected: always((has) => {
      has.enabled = false
    }),
  },
  enable: {
    run: ({ rule }) => r.updateRule(rule, { enabled: true }),
    expected: always((has) => {
      has.enabled = true
    }),
  },
}

/** The shortest way from a state to another, by the operations that change it. */
function wayTo(from: Has, isThere: (has: Has, next: string) => boolean): string[] | undefined {
  const seen = new Set([JSON.stringify(from)])
  let ways: { has: Has; names: string[] }[] = [{ has: from, names: [] }]
  while (ways.length > 0) {
    for (const { has, names } of ways)
      for (const name of Object.keys(operations)) if (isThere(has, name)) return [...names, name]
    ways = ways.flatMap(({ has, names }) =>
      Object.entries(operations).flatMap(([name, { expected }]) => {
        const next = { ...has }
        expected(next)
        if (seen.has(JSON.stringify(next))) return []
        seen.add(JSON.stringify(next))
        return [{ has: next, names: [...names, name] }]
      }),
    )
  }
  return undefined
}

it('every operation in every state answers and leaves what it should', async () => {
  const names = { user: await r.newUser('sam'), group: await r.newGroup('team'), rule: 'team-rule' }
  await w.newChannel(service.store, 'team-news', { owner: 'admin', groups: ['team'] })
  expect((await r.createRule(names.rule, 'team')).body.state).toBe('READY')
  const has: Has = { manual: false, primary: false, matching: false, enabled: true }
  const done = new Set<string>()
  const keyOf = (state: Has, next: string) => `${JSON.stringify(state)} ${next}`
  for (;;) {
    const way = wayTo(has, (state, next) => !done.has(keyOf(state, next)))
    if (!way) break
    for (const name of way) {
      const operation = operations[name] as Operation
      const before = `${JSON.stringify(has)}, then ${name}`
      done.add(keyOf(has, name))
      const was = shown(has)
      const expected = operation.expected(has)
      const reply = await operation.run(names)
      expect(reply.body.error_code ?? reply.status, before).toBe(expected)
      if (name === 'take' && expected === 200) expect(reply.body.source).toBe(was)
      expect(await r.sourceOf('team', 'sam'), before).toBe(shown(has))
    }
  }
  // All of 16 states with all operations.
  expect(done.size).toBe(16 * Object.keys(operations).length)
  await audit(service)
})

it('members by rule are members of the channel, until they leave', async () => {
  const members = async (): Promise<string[]> => {
    const { body } = await call('listChannelAssignments', { path: { channel_id: 'crew-news' } })
    return body.assignments.filter(({ source }: Any) => source === 'USER_GROUP').map(({ id }: Any) => id.user_id)
  }
  await r.newGroup('crew')
  await w.newChannel(service.store, 'crew-news', { owner: 'admin', groups: ['crew'] })
  await r.newUser('tia', r.department('Crew'))
  expect((await r.createRule('crew-rule', 'crew', { conditions: [r.inDepartment('crew')] })).body.state).toBe('READY')
  expect(await members()).toEqual(['tia'])
  await r.updateUser('tia', r.department('Legal'))
  expect(await members()).toEqual([])
  await r.updateUser('tia', r.department('CREW'))
  expect(await members()).toEqual(['tia'])
  await r.deleteRule('crew-rule')
  expect(await members()).toEqual([])
})

describe('an assignment by rule that an import brings', () => {
  const imported = (user_id: string, group_id: string) => ({
    user_id,
    group_id,
    role_id: 'group-member',
    source: 'RULE',
  })
  const bring = (...rows: ReturnType<typeof imported>[]) =>
    importDirectory(
      { store: service.store, now: service.now().toISOString(), newId: () => 'n', clock: service.now },
      { user_group_assignments: rows },
    )

  it('stays until there is a rule for its place, and comes back after it was primary', async () => {
    await r.newGroup('old')
    await r.newUser('uma')
    await r.newUser('uli', r.department('Sales'))
    await bring(imported('uma', 'old'), imported('uli', 'old'))
    for (const primary_user_group_id of ['old', null]) {
      await r.updateUser('uma', { primary_user_group_id })
      expect(await r.sourceOf('old', 'uma')).toBe(primary_user_group_id ? 'PRIMARY' : 'RULE')
    }
    await r.createRule('old-rule', 'old')
    expect([await r.sourceOf('old', 'uma'), await r.sourceOf('old', 'uli')]).toEqual([undefined, 'RULE'])
    await audit(service)
  })

  it('does not come back from a primary group once a rule decides', async () => {
    await r.newGroup('older')
    await r.newUser('vic')
    await bring(imported('vic', 'older'))
    await r.updateUser('vic', { primary_user_group_id: 'older' })
    await r.createRule('older-rule', 'older')
    await r.updateUser('vic', { primary_user_group_id: null })
    expect(await r.sourceOf('older', 'vic')).toBeUndefined()
  })

  it('is decided by a rule that there is', async () => {
    await r.newGroup('ruled')
    await r.createRule('ruled-rule', 'ruled')
    await r.newUser('wim')
    const { user_group_assignments } = await bring(imported('wim', 'ruled'))
    expect([user_group_assignments.skipped, user_group_assignments.created]).toEqual([1, 0])
    expect(await r.sourceOf('ruled', 'wim')).toBeUndefined()
  })
})
