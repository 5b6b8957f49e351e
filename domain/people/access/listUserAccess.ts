import { askedCursor, fitting, pageOf } from '../../request/askedPage.ts'
import { sortText } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { bestText, type Choice, choiceFor, languagesOf } from '../../request/localization.ts'
import { type Positioned, type Sorting, sortRecords } from '../../request/sorting.ts'
import { type ChannelHolding, type GroupHolding, readHoldings, readOwnItems } from '../channels/holdings.ts'
import { groupReference } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { roleReference } from '../records/roleReference.ts'
import { readUser, requireUser, type UserRecord } from '../records/user.ts'
import { grantOf } from '../rules/ruleSet.ts'
import { rulesByGrant } from '../rules/rulesGiving.ts'

type Held = ({ kind: 'USER_GROUP' } & GroupHolding) | ({ kind: 'CHANNEL' } & ChannelHolding)
/** The languages in which the titles are sorted: those of the call for the first page. */
type Filters = { languages: readonly string[] }
type GivingRules = Awaited<ReturnType<typeof rulesByGrant>>

const sorts = ['KIND', 'TITLE', 'ROLE'].map((field): Sorting => ({ field, descending: false }))

/** Lists every role that a user holds in groups and on channels, and where it comes from. */
export async function listUserAccess(context: Context, { path, query }: Input<'listUserAccess'>) {
  const { store, now } = context
  const [found, items, { cursor, limit, pagination }] = await Promise.all([
    readUser(store, path.user_id, now),
    readOwnItems(store, path.user_id),
    languagesOf(context).then((languages) =>
      askedCursor<Filters>(context, ['listUserAccess', path.user_id], query, { sort: [], filters: { languages } }),
    ),
  ])
  const user = requireUser(found)
  const byRules = items.inGroups.some((item) => groupAssignments.sourceOf(item) === 'RULE')
  const [{ inGroups, onChannels }, rules, organisation] = await Promise.all([
    readHoldings(store, items),
    byRules ? givingNow(context, user) : new Map(),
    context.organisation(),
  ])
  const held: Held[] = [
    ...inGroups.map((one) => ({ kind: 'USER_GROUP' as const, ...one })),
    ...onChannels.map((one) => ({ kind: 'CHANNEL' as const, ...one })),
  ]
  const sorted = inOrder(held, choiceFor(cursor.filters.languages, organisation))
  const { page, next } = pageOf(
    sorted.map((one) => ({ record: one, position: one.position })),
    sorts,
    { skip: 0, take: limit, after: cursor.at },
  )
  const views = await Promise.all(page.map(({ record }) => view(context, record, rules)))
  const access = views.slice(0, fitting(views.map((one) => Buffer.byteLength(JSON.stringify(one)))))
  const at = access.length < page.length ? page[access.length - 1]?.position : next
  return { status: 200, body: { access, pagination: await pagination(at && { ...cursor, at }) } }
}

/** No rule gives anything to a user pending deletion: what they hold stays as it is. */
const givingNow = async ({ store }: Context, user: UserRecord): Promise<GivingRules> =>
  user.status === 'PENDING_DELETION' ? new Map() : rulesByGrant(store, user)

/** Roles in groups come before those on channels, each by the titles of target and role. */
function inOrder(held: readonly Held[], choose: Choice): Positioned<Held>[] {
  const textOf: Readonly<Record<string, (one: Held) => string | undefined>> = {
    KIND: ({ kind }) => (kind === 'USER_GROUP' ? '1' : '2'),
    TITLE: ({ target }) => sortText(choose(target.title).text),
    ROLE: ({ role }) => sortText(choose(role.title).text),
  }
  return sortRecords(
    held,
    sorts,
    (one, field) => textOf[field]?.(one),
    ({ target, role }) => grantOf(target.id, role.id),
  )
}

async function view(context: Context, held: Held, rules: GivingRules) {
  const { kind, target, source } = held
  const [title, role, through] = await Promise.all([
    bestText(context, target.title),
    roleReference(context, held.role),
    Promise.all(
      (held.kind === 'CHANNEL' ? held.through : []).map(async (group) => ({
        user_group: await groupReference(context, group),
      })),
    ),
  ])
  const giving = source === 'RULE' ? (rules.get(grantOf(target.id, held.role.id)) ?? []) : []
  return {
    kind,
    target: { id: target.id, title, status: target.status },
    role,
    source,
    rules: giving.map((rule) => ({ id: rule.id, title: rule.title })),
    through,
  }
}
