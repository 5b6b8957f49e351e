import { isPredefinedRole } from '../../domain/people/records/heldRoles.ts'
import type { Organisation } from '../../domain/people/records/organisation.ts'
import { countAttribute } from '../../domain/people/records/userCounters.ts'
import * as keys from '../../domain/table/keys.ts'
import { layouts } from '../../domain/table/layout.ts'
import type { Item } from '../../domain/table/store.ts'
import { auditAttributes } from './attributes.ts'
import { auditEvents } from './events.ts'
import { countOne, difference, type Expect, sumsOf, tallyOf } from './findings.ts'
import { auditGroups } from './groups.ts'
import { auditPlans } from './plans.ts'
import type { Repairs } from './repair.ts'
import { attributesOfRules, auditRules, rulesIn } from './rules.ts'
import type { Copy } from './tableCopy.ts'
import { auditTasks } from './tasks.ts'
import { auditTokens } from './tokens.ts'
import { auditUsers, type UserTallies } from './users.ts'
import { auditWebhooks } from './webhooks.ts'

/** Checks a whole table against its rules: nothing is lost, nothing is orphaned, and every counter is right. */
export function auditTable(
  copy: Copy,
  now: string,
  expect: Expect,
  { note = () => {}, repairs }: { note?: (users: number) => void; repairs?: Repairs } = {},
): void {
  const layout = (copy.at(keys.layoutKey)?.['data'] as { version?: number } | undefined)?.version ?? 1
  expect(layout >= layouts.oldest && layout <= layouts.newest, `layout ${layout}, which this version knows`).toBe(true)
  auditEvents(copy, expect)
  const tallies = auditUsers(copy, now, expect, note)
  auditUserCounts(copy, tallies, expect)
  const rules = rulesIn(copy)
  for (const name of attributesOfRules(rules)) countOne(tallies.attributes, name)
  auditAttributes(copy, tallies.attributes, expect)
  auditGroups(copy, expect)
  auditRules(copy, rules, expect, repairs)
  auditTasks(copy, new Set([...copy.within('USERS', 'P#')].map(keys.userOfDeadlineItem)), expect)
  auditHolders(copy, expect)
  auditRoleUses(copy, expect)
  auditTokens(copy, expect)
  auditWebhooks(copy, expect)
  auditPlans(copy, now, expect)
}

function auditUserCounts(copy: Copy, { counts, administrators }: UserTallies, expect: Expect): void {
  const names = (['USER', 'ADMIN'] as const).flatMap((role) =>
    (['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const).map((status) => countAttribute(status, role)),
  )
  const shards = copy.within('USERS', 'N#')
  const counted = sumsOf(shards.flatMap((shard) => names.map((name) => [name, Number(shard[name] ?? 0)] as const)))
  difference(expect, counted, counts, 'counts of users')
  expect(Number(copy.at(keys.adminCountKey)?.['count'] ?? 0), 'administrators').toBe(administrators)
}

/** The holders of each role in each group, and the direct holders of each role on each channel, are counted exactly. */
function auditHolders(copy: Copy, expect: Expect): void {
  const holdersOf = (prefix: string) => tallyOf(copy.keysSorted(prefix).map(({ sk }) => sk.slice(prefix.length)))
  const members = copy
    .below('GROUP#')
    .filter(isCounter)
    .flatMap(({ pk, sk: _, ...counts }) =>
      Object.entries(counts).flatMap(([name, count]): [string, number][] => {
        const role = keys.countedRole(name)
        return role === undefined ? [] : [[`${pk.slice('GROUP#'.length)}#${role}`, Number(count)]]
      }),
    )
  difference(expect, sumsOf(members), holdersOf('GA#'), 'members')
  const holders = copy
    .below('CHANNEL#')
    .filter(isCounter)
    .map(({ pk, sk, count }) => [`${pk.slice('CHANNEL#'.length)}#${sk.slice('N#'.length)}`, Number(count)] as const)
  difference(expect, sumsOf(holders), holdersOf('CA#'), 'direct holders')
}

const isCounter = ({ sk }: Item): boolean => sk.startsWith('N#')

/** Every use of a custom role is counted, and of a role that exists. */
function auditRoleUses(copy: Copy, expect: Expect): void {
  const predefined = (copy.at(keys.organisationKey)?.['data'] as Organisation | undefined)?.predefined ?? {}
  const uses = tallyOf(rolesInUse(copy).filter((role) => !isPredefinedRole(predefined, role)))
  const roles = [...copy.below('ROLE#')].map((item: Item) => ({ item, role: item.pk.slice('ROLE#'.length) }))
  const counted = sumsOf(
    roles.map(({ item, role }) => [role, isCounter(item) ? Number(item['count'] ?? 0) : 0] as const),
  )
  difference(expect, counted, uses, 'uses of roles')
  const existing = new Set(roles.filter(({ item }) => item.sk === 'ROLE').map(({ role }) => role))
  const closed = roles.filter(({ item, role }) => item['closed'] && existing.has(role))
  expect(closed, 'roles that exist and cannot be used').toEqual([])
  const missing = [...uses.keys()].filter((role) => !existing.has(role))
  expect(missing, 'roles that are used and do not exist').toEqual([])
}

/** The roles of all assignments, rules, and groups attached to channels, and the default roles of channels. */
function* rolesInUse(copy: Copy): Generator<string> {
  for (const prefix of ['GA#', 'CA#']) yield* copy.keysSorted(prefix).map((key) => keys.partsOfAssignment(key).role)
  for (const { sk, data } of copy.below('CHANNEL#')) {
    const { role_id, default_role_id } = (data ?? {}) as { role_id?: string; default_role_id?: string }
    if (sk.startsWith('G#')) yield String(role_id)
    if (sk === 'CHANNEL') yield String(default_role_id)
  }
  yield* rulesIn(copy).map(({ role_id }) => role_id)
}
