import type { RecordKind } from '../../../schemas/events.ts'
import { forProperty } from '../../table/actions.ts'
import { amendRecord } from '../../table/changes.ts'
import { shardedCounter } from '../../table/counters.ts'
import { eventOf } from '../../table/events.ts'
import { absent, exists, is } from '../../table/expressions.ts'
import { joinedId, ofRole, roleUseKey } from '../../table/keys.ts'
import { defineItem, lastIn } from '../../table/records.ts'
import type { Action, ActionOptions, Item, Key, Store } from '../../table/store.ts'
import type { Organisation } from './organisation.ts'
import { type UserRecord, users } from './user.ts'
import { namesInLists } from './userSearch.ts'

/**
 * Counts the uses of a role: by a user in a group or on a channel, by a group attached to a channel, or as a channel's
 * default. A role can be deleted only while the count is zero. That closes the counter, so no later use is possible.
 */
export const roleUses = (id: string) => shardedCounter((shard) => roleUseKey(id, shard), ofRole(id))

/** What counting a use needs: the predefined roles, and the shard that a call writes to. */
export type Counting = { predefined: Organisation['predefined']; shard: number }

/** Counts uses of a role; `by` may be negative. Predefined roles are never deleted, so their uses are not counted. */
export function countRoleUse(role: string, by: number, { predefined, shard }: Counting): Action[] {
  if (isPredefinedRole(predefined, role)) return []
  return [roleUses(role).count(shard, 'count', by)]
}

/** Whether a role is one of the four that every organisation has. */
export function isPredefinedRole(
  { ROOT: _root, ALL_USERS: _all, ...predefined }: Organisation['predefined'],
  role: string,
): boolean {
  return Object.values(predefined).includes(role)
}

type Held = { user_id: string; role_id: string }
type Names = Pick<UserRecord, 'id' | 'first_name' | 'last_name'>

type Holding<Id, Source> = {
  kind: RecordKind
  /** The field with the id of the target: a group or a channel. */
  targetName: keyof Id & string
  keyOf: (user: string, target: string, role: string) => Key
  /** The list of the users with the role, by name. */
  listOf: (target: string, role: string) => string
  /** Counts the users with the role; `expected` is a condition on the count. */
  count: (id: Id, by: number, shard: number, expected?: ActionOptions) => Action
  /** The fields of an assignment that its events show. */
  shownInEvent: (id: Id, source: Source) => object
}

/** Says that rules have given a role, not an import: then it ends when no rule names it any more. */
const byRules = (source: string): { imported?: false } => (source === 'RULE' ? { imported: false } : {})

/** The assignments of roles in groups or on channels: each is an item under its user's key. */
export function heldRoles<Id extends Held, Source extends string>(holding: Holding<Id, Source>) {
  const { kind, targetName, keyOf, listOf, count, shownInEvent } = holding
  const targetOf = (id: Id): string => String(id[targetName])
  const rows = defineItem<{ list: string; source: Source; imported?: boolean } & ReturnType<typeof namesInLists>>()
  const key = (id: Id): Key => keyOf(id.user_id, targetOf(id), id.role_id)
  const recordOf = (id: Id) => ({
    record: { kind, id: joinedId(targetOf(id), id.user_id, id.role_id) },
    among: { kind: 'user', id: id.user_id },
  })
  const counted = (id: Id, by: number, counting: Counting, expected?: ActionOptions): Action[] => [
    forProperty(targetName, count(id, by, counting.shard, expected)),
    ...countRoleUse(id.role_id, by, counting).map((action) => forProperty('role_id', action)),
  ]
  const item = (id: Id, user: Names, source: Source): Item =>
    rows.item(key(id), { list: listOf(targetOf(id), id.role_id), ...namesInLists(user), source, ...byRules(source) })
  const create = (id: Id, user: Names, source: Source, counting: Counting): Action[] => [
    { put: item(id, user, source), if: absent, event: eventOf(recordOf(id), undefined, shownInEvent(id, source)) },
    ...counted(id, 1, counting),
  ]
  return {
    key,
    item,
    sourceOf: (found: Item): Source => rows.of(found).source,
    /** Whether an import brought a role with the source RULE: 'unknown' for rows that are older than this field. */
    isImported: (found: Item): boolean | 'unknown' => rows.of(found).imported ?? 'unknown',
    /** The assignment as it is now; undefined if there is none. */
    read: (store: Pick<Store, 'get'>, id: Id): Promise<Item | undefined> => store.get(key(id)),
    /** Writes an assignment that must not exist yet, with its counts. */
    create,
    /** Gives the role to a user; stale if the user has changed since they were read. */
    give: (id: Id, user: UserRecord, source: Source, counting: Counting): Action[] => [
      ...create(id, user, source, counting),
      bumpUserVersion(user),
    ],
    /** Deletes an assignment; stale if it has changed since it was read. */
    remove: (id: Id, found: Item, counting: Counting, expected?: ActionOptions): Action[] => {
      const [source, last] = [rows.of(found).source, lastIn(found)]
      const event = eventOf({ ...recordOf(id), last }, shownInEvent(id, source), undefined)
      return [{ delete: key(id), if: is({ source, event: last }), event }, ...counted(id, -1, counting, expected)]
    },
    /** Changes the source of an assignment; stale if it has changed since it was read. */
    changeSource: (id: Id, found: Item, source: Source): Action => {
      const [before, last] = [rows.of(found).source, lastIn(found)]
      const event = eventOf({ ...recordOf(id), last }, shownInEvent(id, before), shownInEvent(id, source))
      return { update: key(id), set: { source, ...byRules(source) }, if: is({ source: before, event: last }), event }
    },
    /**
     * Deletes a primary assignment. The user's events show it, unless it had events before it became primary: the last of those
     * says that it had the source `was`, so another event says that it ends.
     */
    removePrimary: (id: Id, found: Item, was: Source): Action => {
      const last = lastIn(found)
      if (last === undefined) return { delete: key(id) }
      const event = eventOf({ ...recordOf(id), last }, shownInEvent(id, was), undefined)
      return { delete: key(id), if: is({ event: last }), event }
    },
    /**
     * Writes an event for a primary assignment whose later source changes from `before` to `after`: undefined means that it ends
     * when it is no longer primary. The assignment itself stays as it is; stale if it has changed since it was read.
     */
    noteLaterSource: (id: Id, found: Item, before: Source | undefined, after: Source | undefined): Action => {
      const { source } = rows.of(found)
      const last = lastIn(found)
      const shown = (one: Source | undefined) => (one ? shownInEvent(id, one) : undefined)
      // After it was withdrawn, an assignment that is given again begins a new chain of events.
      const event = eventOf({ ...recordOf(id), last: before && last }, shown(before), shown(after))
      return { update: key(id), set: { source }, if: is({ source, event: last }), event }
    },
    /**
     * Makes a primary assignment one by rules. It was nothing else before it became primary, so this begins a new chain of events.
     */
    keepByRule: (id: Id, found: Item, source: Source): Action => {
      const [before, last] = [rows.of(found).source, lastIn(found)]
      const event = eventOf(recordOf(id), shownInEvent(id, before), shownInEvent(id, source))
      return { update: key(id), set: { source, ...byRules(source) }, if: is({ source: before, event: last }), event }
    },
    /**
     * Ends what a primary assignment would become again when it is no longer primary: it had the source `was`. Its events, if it has
     * any, say so now.
     */
    endHiddenByPrimary: (id: Id, found: Item, was: Source): Action[] => {
      const { source } = rows.of(found)
      const last = lastIn(found)
      if (last === undefined) return []
      const event = eventOf({ ...recordOf(id), last }, shownInEvent(id, was), undefined)
      return [{ update: key(id), set: { source }, if: is({ source, event: last }), event }]
    },
    /** Deletes the assignment of a user who is purged, without an event: that of the user is enough. */
    removeWithoutEvent: (id: Id, counting: Counting): Action[] => [
      { delete: key(id), if: exists },
      ...counted(id, -1, counting),
    ],
  }
}

/**
 * Increases a user's version; stale if the user has changed since they were read. Every write that gives a user a role
 * in a group or on a channel does this, so that a rename under way reads again and takes the assignment along.
 */
export const bumpUserVersion = (user: UserRecord): Action => {
  const { version } = user
  return amendRecord(users, user, { version: version + 1 }, { expected: { version } })
}
