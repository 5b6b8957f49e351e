/**
 * THE TABLE: the keys of all items, in the table and in its indexes, and the ranges that read them. Keys are written and taken
 * apart in this file only.
 *
 * pk                sk                  record
 * ORGANISATION      ORGANISATION        settings, features, ids of the predefined roles and groups
 * CALENDAR          SETTINGS            the calendar settings; missing until the first change
 * USER#id           USER                a user; in the nine sorted lists of users; one search word
 * USER#id           A#name              the value of one attribute; in the list of the users with this value; one search word
 * USER#id           W#00…               one search word each, where the items above and the names do not suffice
 * USER#id           GA#group#role       a role of the user in a user group
 * USER#id           CA#channel#role     a role of the user on a channel, given directly
 * USER#id           TA#task             a task of the user; in the user's own lists and in the task's list
 * USER#id           GONE                the tombstone: the id is never used again
 * USER#id           Z#plan#number       a change of the user that a plan contains. It sorts behind all that changes of users read
 * USERNAME#folded   USERNAME            the user who has this username, and until when; one search word
 * EXTERNAL#id       EXTERNAL            the user who has this external id, and until when; one search word
 * USERS             ADMINS              number of unprotected active administrators
 * USERS             N#00…31             numbers of users per status and role, and per attribute, and the last move, in shards;
 *                                       the edition of rules that changes of users must know, and that of a round under way
 * USERS             P#deletion_at#id    a user to remove for good at that moment, and how they are counted until then
 * GROUP#id          GROUP               a user group
 * GROUP#id          N#00…31             numbers of its members per role, in shards; closed once it is archived or deleted
 * GROUP#id          C#channel           a channel that the group is attached to; see `G#group` under CHANNEL#id
 * GROUP_EXTERNAL#id EXTERNAL            the user group that has this external id
 * GROUP_TREE        VERSION             number of changes of the tree of groups
 * GROUPS            group               parent and status of a group: one query reads the whole tree
 * ROLE#id           ROLE                a role
 * ROLE#id           N#00…31             number of uses of a custom role, in shards; closed once it is deleted
 * ROLE_EXTERNAL#id  EXTERNAL            the role that has this external id
 * ATTRIBUTE#name    ATTRIBUTE           an attribute definition; after its deletion a tombstone, for a day or more
 * ATTRIBUTES        00…49               the name of one definition each: 50 places, so 50 definitions at most
 * RULES             EDITION             the number of changes of rules, and how many rules there are and how large: see rule.ts
 * RULES             RULE#id             a rule that gives a role in a user group
 * CHANNEL#id        CHANNEL             a channel
 * CHANNEL#id        G#group             a user group attached to it
 * CHANNEL#id        N#role              number of users who hold the role directly
 * TASK#id           TASK                a task and the number of its assignments
 * TASK#id           GONE                author of a deleted task, for 30 days: for the errors that say that it is deleted
 * TASK#id           P#00…63             numbers of its opened and finished assignments, in shards
 * TASK_EXTERNAL#…   EXTERNAL            the task of an author that has this external id
 * WORK              kind#id             work that is left to do, and when it is due: see work.ts; kind#id#suffix where there are several
 * KEY#hash          KEY                 the record that an Idempotency-Key of a caller has created, for 24 hours
 * PLANS             P#id                a plan: changes of users that are worked out first, and made when somebody says so
 * PLANS             OPEN                the plans that have not ended, and those that are applied, in turn
 * PLAN#id           IDS#number          ids of users that a plan is about
 * PLAN#id           FILE#number         a part of the file of a plan: where it is kept
 * PLAN#id           SLICE#number        the users of some changes, and what has become of these
 * PLAN#id           FAULTS#number       users and rows for which nothing could be planned
 * PLAN#id           SEEN#number         ids of recent users whom a walk has seen: they must not be counted again
 * IMPORTS           hash of a name      an import of a large file that is under way, and how far it is
 * LAYOUT            LAYOUT              the number of the table's layout: see layout.ts; missing in a table of layout 1
 * CHECK             CHECK               when a deployment has last checked that functions read and write the table
 * SECRETS           CURSORS             what cursors are sealed with; only functions that make cursors may read it
 * SERVICE_TOKENS    id                  a service token: its scopes, and hashes of its secrets
 * SERVICE_TOKENS    COUNT               number of service tokens
 * TOKEN_USES        id                  when a service token was last used, to the hour
 * EVENTS#kind#id    time, id            a change of a record: see events.ts; in the lists of its day and its actor
 * OUTBOX#00…15      id                  the events of a transaction, for which deliveries have yet to be made: see outbox.ts
 * OUTBOX            LEASE               the process that makes and tries deliveries
 * WEBHOOKS          COUNTS              numbers of webhooks and of enabled ones
 * WEBHOOKS          W#id                a webhook
 * WEBHOOKS          H#id                how its receiver does
 * WEBHOOKS          R#id                its replay that is under way
 * WEBHOOKS          GONE#id             a deleted webhook whose deliveries have yet to be removed
 * WEBHOOK#id        NEW#delivery        a delivery without an attempt; AGAIN# between two, DELIVERED# or FAILED# after its last one
 * WEBHOOK#id        DUE#time#delivery   when a delivery is tried again
 *
 * Secondary indexes: the indexes `by_…` sort the rows of a `list`. `by_location_or_due` and `by_username_or_change` sort
 * users by the first and tasks by the second; `by_id` also lists the users with a value of an attribute. The index `find`
 * holds search words, the recipients of tasks by name, the events of an actor, and the catalogues of roles, groups and channels;
 * `by_created_at` also the events of a day.
 */
import { cut, dayOf, SEPARATOR } from '../base/text.ts'
import { endOf, sortOf } from './items.ts'
import type { Item, Key, Range, RecordRef } from './store.ts'

/** A number in two digits, so that texts sort as numbers. */
const twoDigits = (n: number): string => String(n).padStart(2, '0')

// The service itself.

const LAYOUT = 'LAYOUT'
export const layoutKey: Key = { pk: LAYOUT, sk: LAYOUT }
export const checkKey: Key = { pk: 'CHECK', sk: 'CHECK' }
export const organisationKey: Key = { pk: 'ORGANISATION', sk: 'ORGANISATION' }
export const calendarKey: Key = { pk: 'CALENDAR', sk: 'SETTINGS' }
/** The policies of the functions on AWS name this partition: only some may read secrets. See local/build/roleStatements.ts. */
export const SECRETS = 'SECRETS'
export const cursorSecretKey: Key = { pk: SECRETS, sk: 'CURSORS' }
const SERVICE_TOKENS = 'SERVICE_TOKENS'
export const serviceTokenKey = (id: string): Key => ({ pk: SERVICE_TOKENS, sk: id })
/** No id of a token is this short. */
export const serviceTokenCountKey: Key = { pk: SERVICE_TOKENS, sk: 'COUNT' }
/** All service tokens and their number. */
export const allServiceTokens: Range = { hash: SERVICE_TOKENS, consistent: true }
/** The policies name this partition, too: the functions of all endpoints update it. */
export const TOKEN_USES = 'TOKEN_USES'
export const tokenUseKey = (id: string): Key => ({ pk: TOKEN_USES, sk: id })
export const tokenUses: Range = { hash: TOKEN_USES, consistent: true }
export const repetitionKey = (hash: string): Key => ({ pk: `KEY#${hash}`, sk: 'KEY' })
export const importKey = (id: string): Key => ({ pk: 'IMPORTS', sk: id })
/** All imports of large files that are under way. */
export const imports: Range = { hash: 'IMPORTS', consistent: true }

/** TTL: DynamoDB may delete an item from this epoch second on. It is rounded up, so that it is never early. */
export const ttlOf = (moment: string): number => Math.ceil(Date.parse(moment) / 1000)

// Users: the record and what belongs to it.

/** The most search words that a user has items for. Users with more are found by another list: see wordyPlace. */
export const MOST_WORDS = 32

export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'USER' })
export const tombstoneKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'GONE' })
export const wordKey = (id: string, slot: number): Key => ({ pk: `USER#${id}`, sk: `W#${twoDigits(slot)}` })
export const attributeValueKey = (id: string, name: string): Key => ({ pk: `USER#${id}`, sk: `A#${name}` })
export const usernameKey = (username: string): Key => ({ pk: `USERNAME#${reservedUsername(username)}`, sk: 'USERNAME' })
export const externalIdKey = (externalId: string): Key => ({ pk: `EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
/** The key of the item whose partition is a name: a reservation, or the user themselves. */
export const itemOfName = (name: string): Key => ({
  pk: name,
  sk: name.startsWith('USERNAME#') ? 'USERNAME' : name.startsWith('EXTERNAL#') ? 'EXTERNAL' : 'USER',
})
/** Whether the reservation at a key is of a username; else it is of an external id. */
export const isUsernameKey = ({ sk }: Key): boolean => sk === 'USERNAME'

/**
 * Usernames are unique regardless of case only: accents tell people apart. A final sigma is a sigma. Some musical signs
 * grow when normalized; where the result is too long for a key, the name is taken as it came.
 */
export function reservedUsername(username: string): string {
  const lower = username.toLowerCase().replaceAll('ς', 'σ')
  const normal = lower.normalize('NFC')
  return normal.length <= LONGEST_NORMAL ? normal : lower
}
const LONGEST_NORMAL = 510

/** All items under a user's key. */
export const ofUser = (id: string): Range => ({ hash: `USER#${id}`, consistent: true })
/** The user of an item under a user's key, or of its row in an index. */
export const userOfRow = ({ pk }: Key): string => pk.slice('USER#'.length)

// Users: assignments to groups, channels and tasks.

export const groupAssignmentKey = (id: string, group: string, role: string): Key => ({
  pk: `USER#${id}`,
  sk: `GA#${group}#${role}`,
})
export const channelAssignmentKey = (id: string, channel: string, role: string): Key => ({
  pk: `USER#${id}`,
  sk: `CA#${channel}#${role}`,
})
export const taskAssignmentKey = (id: string, task: string): Key => ({ pk: `USER#${id}`, sk: `TA#${task}` })

/** The user's assignments to groups, channels and tasks. The tombstone, if there is one, is in the range, too. */
export const assignmentsOf = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'TA$' })
/**
 * The same and the user, who is read first. Each new role in a group or on a channel bumps the user's version, so the
 * query returns all roles that the user has at the version that it returns.
 */
export const withAssignments = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'USER', descending: true })
/** The user's roles in groups and on channels. */
export const rolesOfUser = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'GA$' })
/** The user's roles in groups. */
export const groupRolesOfUser = (id: string): Range => ({ ...ofUser(id), beginsWith: 'GA#' })

/** The kind of an assignment; undefined for other items of a user. */
export const kindOfAssignment = ({ sk }: Key): 'GROUP' | 'CHANNEL' | 'TASK' | undefined =>
  (({ 'GA#': 'GROUP', 'CA#': 'CHANNEL', 'TA#': 'TASK' }) as const)[sk.slice(0, 3)]
export const isAssignment = (key: Key): boolean => kindOfAssignment(key) !== undefined
/** The group or channel, and the role, of an assignment's key. */
export function partsOfAssignment({ sk }: Key): { kind: 'GROUP' | 'CHANNEL'; target: string; role: string } {
  const [kind, target = '', role = ''] = sk.split('#')
  return { kind: kind === 'CA' ? 'CHANNEL' : 'GROUP', target, role }
}
/** The task of an assignment's key. */
export const taskOfAssignment = ({ sk }: Key): string => sk.slice('TA#'.length)

// Users: counters, and the users to remove for good.

/** Counters with many writers are spread over this many items, so that writers do not wait for each other. */
export const SHARDS = 32
/** The shard that a call, or a write of no call, counts in. */
export const randomShard = (): number => Math.floor(Math.random() * SHARDS)

export const userCountKey = (shard: number): Key => ({ pk: 'USERS', sk: `N#${twoDigits(shard)}` })
export const adminCountKey: Key = { pk: 'USERS', sk: 'ADMINS' }
export const deadlineItemKey = (deletionAt: string, id: string): Key => ({ pk: 'USERS', sk: `P#${deletionAt}#${id}` })

export const userCountRange: Range = { hash: 'USERS', beginsWith: 'N#' }
export const adminCountRange: Range = { hash: 'USERS', beginsWith: 'ADMINS' }
/** Deadline items of users whose deadline has passed and who are not yet removed. */
export const overdueDeadlineItems = (now: string): Range => ({ hash: 'USERS', from: 'P#', to: endOf(`P#${now}#`) })
/** The counters of users and these items. One query reads both, so they fit each other. */
export const countsAndOverdueItems = (now: string): Range => ({ ...overdueDeadlineItems(now), from: 'N#' })
/** Deadline items of all users pending deletion, their deadline passed or not. */
export const allDeadlineItems: Range = { hash: 'USERS', beginsWith: 'P#' }
/** Whether an item under USERS is a deadline item; its deadline; its user. */
export const isDeadlineItem = ({ sk }: Key): boolean => sk.startsWith('P#')
export const momentOfDeadlineItem = ({ sk }: Key): string => sk.slice('P#'.length, sk.lastIndexOf('#'))
export const userOfDeadlineItem = ({ sk }: Key): string => sk.slice(sk.lastIndexOf('#') + 1)

/** In the counter of users: how many have a value of an attribute. */
export const useCount = (name: string): string => `a:${name}`
/** In the counter of users: the edition of a definition that values must fit. Without it, the first one. */
export const requiredEdition = (name: string): string => `e:${name}`
/** The definition of such an edition; undefined for other attributes of the counter. */
export const nameOfRequiredEdition = (attribute: string): string | undefined =>
  attribute.startsWith('e:') ? attribute.slice('e:'.length) : undefined

// Attribute definitions.

/** The most attribute definitions. Each takes one of these places, so creations in parallel cannot pass the limit. */
export const DEFINITION_SLOTS = 50

export const attributeKey = (name: string): Key => ({ pk: `ATTRIBUTE#${name}`, sk: 'ATTRIBUTE' })
export const definitionSlotKey = (slot: number): Key => ({ pk: 'ATTRIBUTES', sk: twoDigits(slot) })
/** The names of all attribute definitions. */
export const definitionSlots: Range = { hash: 'ATTRIBUTES', consistent: true }

// User groups.

export const groupKey = (id: string): Key => ({ pk: `GROUP#${id}`, sk: 'GROUP' })
export const groupCountKey = (id: string, shard: number): Key => ({ pk: `GROUP#${id}`, sk: `N#${twoDigits(shard)}` })
export const groupCounts = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'N#' })
/** The count of a role in a group's counter. The prefix keeps ids of roles from clashing with other attributes. */
export const roleCount = (role: string): string => `role:${role}`
/** The role of such a count; undefined for other attributes of the counter. */
export const countedRole = (attribute: string): string | undefined =>
  attribute.startsWith('role:') ? attribute.slice('role:'.length) : undefined

export const groupExternalIdKey = (externalId: string): Key => ({ pk: `GROUP_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const groupTreeKey = (id: string): Key => ({ pk: 'GROUPS', sk: id })
/** All user groups with their parents and states. */
export const groupTree: Range = { hash: 'GROUPS' }
/** A move or removal of a group needs the tree as it was read: see treeChanged. */
export const treeVersionKey: Key = { pk: 'GROUP_TREE', sk: 'VERSION' }

export const groupChannelKey = (id: string, channel: string): Key => ({ pk: `GROUP#${id}`, sk: `C#${channel}` })
/** The channels that a group is attached to. */
export const channelsOfGroup = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'C#', consistent: true })
/** A group and these channels: one query for both, as it was a moment ago. */
export const groupWithChannels = (id: string): Range => ({ hash: `GROUP#${id}`, from: 'C#', to: 'GROUP' })
/** Whether an item of a group names a channel that the group is attached to. */
export const isChannelPointer = ({ sk }: Key): boolean => sk.startsWith('C#')
/** The channel of such an item. */
export const channelOfPointer = ({ sk }: Key): string => sk.slice('C#'.length)

// Roles.

export const roleKey = (id: string): Key => ({ pk: `ROLE#${id}`, sk: 'ROLE' })
export const roleExternalIdKey = (externalId: string): Key => ({ pk: `ROLE_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const roleUseKey = (id: string, shard: number): Key => ({ pk: `ROLE#${id}`, sk: `N#${twoDigits(shard)}` })
/** A role with the counter of its uses. */
export const ofRole = (id: string): Range => ({ hash: `ROLE#${id}`, consistent: true })

// Rules.

export const ruleEditionKey: Key = { pk: 'RULES', sk: 'EDITION' }
export const ruleKey = (id: string): Key => ({ pk: 'RULES', sk: `RULE#${id}` })
/** The edition and all rules. The edition is read first: the rules are of this edition or a later one. */
export const wholeRules: Range = { hash: 'RULES', consistent: true }
/** In the counter of users: the edition of rules that changes of users must know. Without it, any. */
export const REQUIRED_RULES_EDITION = 'rules'
/** In a shard: the round that is applying rules to all users just now. */
export const RULES_ROUND = 'rules_round'

// Channels.

export const channelKey = (id: string): Key => ({ pk: `CHANNEL#${id}`, sk: 'CHANNEL' })
export const channelCountKey = (id: string, role: string): Key => ({ pk: `CHANNEL#${id}`, sk: `N#${role}` })
export const channelGroupKey = (id: string, group: string): Key => ({ pk: `CHANNEL#${id}`, sk: `G#${group}` })
/** A channel with the groups attached to it and the numbers of users per role. */
export const wholeChannel = (id: string): Range => ({ hash: `CHANNEL#${id}`, consistent: true })
/** A channel with the groups attached to it, as it was a moment ago. */
export const channelWithGroups = (id: string): Range => ({ hash: `CHANNEL#${id}`, from: 'CHANNEL', to: 'G$' })
/** Whether an item of a channel is an attached group, or the number of users with a role; that role. */
export const isChannelGroup = ({ sk }: Key): boolean => sk.startsWith('G#')
export const isChannelCount = ({ sk }: Key): boolean => sk.startsWith('N#')
export const roleOfChannelCount = ({ sk }: Key): string => sk.slice('N#'.length)

// Tasks.

/** The shards of a task's progress: thousands of recipients may finish it within a minute. */
export const PROGRESS_SHARDS = 64

export const taskKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'TASK' })
export const taskProgressKey = (id: string, shard: number): Key => ({ pk: `TASK#${id}`, sk: `P#${twoDigits(shard)}` })
export const taskTombstoneKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'GONE' })
/** External ids of tasks are unique per author; ids have no `#`. */
export const taskExternalIdKey = (author: string, externalId: string): Key => ({
  pk: `TASK_EXTERNAL#${author}#${externalId}`,
  sk: 'EXTERNAL',
})
/** A task and the shards that count its progress. */
export const ofTask = (id: string): Range => ({ hash: `TASK#${id}`, consistent: true })
/** Whether a row is of a task; otherwise it is of an assignment. The task of either. */
export const isTaskRow = ({ pk }: Key): boolean => pk.startsWith('TASK#')
export const taskOfRow = (row: Key): string => (isTaskRow(row) ? row.pk.slice('TASK#'.length) : taskOfAssignment(row))

// Work that is left to do. Its entries have the key kind#id, or kind#id#suffix where there may be several. Those of one kind and id are
// a queue: they are done one after the other.

const WORK = 'WORK'
export const workKey = (kind: string, id: string, suffix?: string): Key => ({
  pk: WORK,
  sk: suffix === undefined ? `${kind}#${id}` : `${kind}#${id}#${suffix}`,
})
/** Whether an item is an entry of work. */
export const isWork = ({ pk }: Key): boolean => pk === WORK
/** The id in an entry's key. */
export const idOfWork = ({ sk }: Key): string => sk.split('#')[1] ?? ''
/** The suffix in an entry's key, where a queue may have several entries. */
export const suffixOfWork = ({ sk }: Key): string => sk.split('#')[2] ?? ''
/** The queue of an entry: the beginning of its key, kind#id. */
export const queueOf = ({ sk }: Key): string => sk.split('#', 2).join('#')
/** The entries of every kind; only those whose key begins with `beginning`. */
export const allWork: Range = { hash: WORK, consistent: true }
export const workBeginningWith = (beginning: string): Range => ({ ...allWork, beginsWith: beginning })

// Plans.

const PLANS = 'PLANS'
export const planKey = (id: string): Key => ({ pk: PLANS, sk: `P#${id}` })
export const openPlansKey: Key = { pk: PLANS, sk: 'OPEN' }
/** The id of a plan begins with its time, so that plans sort by it. */
export const planIdOf = (now: string, id: string): string => `${compactTime(now)}-${id}`
/** Plans, the newest first; only those before the plan `before`. */
export const plansBefore = (before?: string): Range => ({
  hash: PLANS,
  from: 'P#',
  to: before === undefined ? endOf('P#') : justBefore(`P#${before}`),
  descending: true,
  consistent: true,
})

/** Numbers in keys sort as numbers: a plan has up to a few million changes. */
const sevenDigits = (n: number): string => String(n).padStart(7, '0')
/** The kinds of items in the partition of a plan. Those of a kind are in the order of their numbers. */
export type PlanItem = 'IDS' | 'FILE' | 'SLICE' | 'FAULTS' | 'SEEN'
export const planItemKey = (plan: string, kind: PlanItem, number: number): Key => ({
  pk: `PLAN#${plan}`,
  sk: `${kind}#${sevenDigits(number)}`,
})
/** The items of one kind from a number on. */
export const planItems = (plan: string, kind: PlanItem, from = 0): Range => ({
  hash: `PLAN#${plan}`,
  from: `${kind}#${sevenDigits(from)}`,
  to: endOf(`${kind}#`),
  consistent: true,
})
/** All that belongs to a plan, besides its record and its changes. */
export const ofPlan = (plan: string): Range => ({ hash: `PLAN#${plan}`, consistent: true })
/** The number in the key of such an item. */
export const numberOfPlanItem = ({ sk }: Key): number => Number(sk.slice(sk.indexOf('#') + 1))
export const planChangeKey = (user: string, plan: string, number: number): Key => ({
  pk: `USER#${user}`,
  sk: `Z#${plan}#${sevenDigits(number)}`,
})
/** The number in the key of a change. */
export const numberOfPlanChange = ({ sk }: Key): number => Number(sk.slice(sk.lastIndexOf('#') + 1))
/** The changes of a user that a plan contains. */
export const planChangesOf = (user: string, plan: string): Range => ({ ...ofUser(user), beginsWith: `Z#${plan}#` })

// Events.

/** What the partitions of events begin with. */
export const EVENTS = 'EVENTS#'
const partitionOfEvents = ({ kind, id }: RecordRef): string => `${EVENTS}${kind}#${id}`

/** The id of a record that is named by several ids: no id has a tilde. */
export const joinedId = (...ids: readonly string[]): string => ids.join('~')

/** The key of an event: in the partition of the record it is listed under, sorted by its time. */
export const eventKey = (record: RecordRef, sortKey: string): Key => ({ pk: partitionOfEvents(record), sk: sortKey })
/** The sort key of an event: after all earlier ones. */
export const eventSortKey = (time: string, id: string): string => sortKeyAt(time, id)
/** The time and the id in such a sort key. */
export const timeOfSortKey = (sortKey: string): string => sortKey.slice(0, sortKey.indexOf(SEPARATOR))
export const idOfEvent = (sortKey: string): string => idOfSortKey(sortKey)
/** The user among whose events an event is; undefined if it is among those of another record. */
export const userOfEvent = ({ pk }: Key): string | undefined =>
  pk.startsWith(EVENTS_OF_USERS) ? pk.slice(EVENTS_OF_USERS.length) : undefined
const EVENTS_OF_USERS = /* @__PURE__ */ partitionOfEvents({ kind: 'user', id: '' })

/** How many lists the events of a day are spread over, so that writers do not wait for each other. */
const LISTS_OF_DAY = 8
const dayList = (day: string, nth: number): string => `${EVENTS}${day}#${nth}`
const actorList = (actor: string): string => `ACTOR#${actor}`
const sumOfCharacters = (text: string): number => [...text].reduce((sum, character) => sum + character.charCodeAt(0), 0)

/** An event's keys in the lists of its day and of its actor. */
export const eventIndexKeys = (sortKey: string, actor: string | null) => ({
  list: dayList(dayOf(sortKey), sumOfCharacters(sortKey) % LISTS_OF_DAY),
  by_created_at: sortKey,
  ...(actor === null ? {} : { find: actorList(actor), found: sortKey }),
})
/** The events of a record, of a day, and of an actor. */
export const eventsAmong = (record: RecordRef): Range => ({ hash: partitionOfEvents(record) })
export const eventsOn = (day: string): Range[] =>
  Array.from({ length: LISTS_OF_DAY }, (_, nth) => ({ index: 'by_created_at', hash: dayList(day, nth) }))
export const eventsBy = (actor: string): Range => ({ index: 'find', hash: actorList(actor) })

// The outbox, webhooks and their deliveries.

/** Transactions write to different partitions of the outbox, so that they do not wait for each other. */
const OUTBOX_SHARDS = 16
const outboxShard = (nth: number): string => `OUTBOX#${twoDigits(nth)}`

/** An entry of the outbox, in a shard that follows from a text: the partition of its first event. */
export const outboxKey = (text: string, id: string): Key => ({
  pk: outboxShard(sumOfCharacters(text) % OUTBOX_SHARDS),
  sk: id,
})
/** All entries of the outbox. */
export const outbox: Range[] = /* @__PURE__ */ Array.from({ length: OUTBOX_SHARDS }, (_, nth) => ({
  hash: outboxShard(nth),
  consistent: true,
}))
export const outboxLeaseKey: Key = { pk: 'OUTBOX', sk: 'LEASE' }

const WEBHOOKS = 'WEBHOOKS'
export const webhookCountsKey: Key = { pk: WEBHOOKS, sk: 'COUNTS' }
export const webhookKey = (id: string): Key => ({ pk: WEBHOOKS, sk: `W#${id}` })
export const webhookHealthKey = (id: string): Key => ({ pk: WEBHOOKS, sk: `H#${id}` })
export const replayKey = (id: string): Key => ({ pk: WEBHOOKS, sk: `R#${id}` })
/** All webhooks. */
export const allWebhooks: Range = { hash: WEBHOOKS, beginsWith: 'W#', consistent: true }
export const goneWebhookKey = (id: string): Key => ({ pk: WEBHOOKS, sk: `GONE#${id}` })
export const goneWebhooks: Range = { hash: WEBHOOKS, beginsWith: 'GONE#', consistent: true }
export const idOfGoneWebhook = ({ sk }: Key): string => sk.slice('GONE#'.length)
/**
 * Partitions that few functions write. The policies on AWS (local/build/roleStatements.ts) deny them to all whose permission in
 * serverless.yml does not name them. `#*` is a pattern of IAM.
 */
export const KEPT = {
  layout: [LAYOUT],
  serviceTokens: [SERVICE_TOKENS],
  webhooks: [WEBHOOKS, 'WEBHOOK#*'],
} as const satisfies Record<string, readonly string[]>

/** In which list of its webhook a delivery is: before its first attempt, before a later one, or after the last one. */
export type DeliveryList = 'NEW' | 'AGAIN' | 'DELIVERED' | 'FAILED'
export const deliveryKey = (webhook: string, list: DeliveryList, id: string): Key => ({
  pk: `WEBHOOK#${webhook}`,
  sk: `${list}#${id}`,
})
/** Deliveries of a list, by the times of their events; only those before the delivery `before`. */
export const deliveriesIn = (webhook: string, list: DeliveryList, before?: string): Range => ({
  hash: `WEBHOOK#${webhook}`,
  from: `${list}#`,
  to: before === undefined ? endOf(`${list}#`) : justBefore(`${list}#${before}`),
  consistent: true,
})
/** All deliveries of a webhook, with what says when they are due. */
export const allDeliveries = (webhook: string): Range => ({ hash: `WEBHOOK#${webhook}`, consistent: true })
/** The list that an item is in. */
export const listOfDelivery = ({ sk }: Key): DeliveryList => sk.slice(0, sk.indexOf('#')) as DeliveryList
/** The delivery of an item in one of these lists, or of one that says when it is due. */
export const idOfDelivery = ({ sk }: Key): string => sk.slice(sk.lastIndexOf('#') + 1)
export const dueKey = (webhook: string, at: string, id: string): Key => ({
  pk: `WEBHOOK#${webhook}`,
  sk: `DUE#${at}#${id}`,
})
/** The deliveries that are due by a moment, the longest due first; without one, all that are tried again. */
export const dueDeliveries = (webhook: string, by?: string): Range => ({
  hash: `WEBHOOK#${webhook}`,
  from: 'DUE#',
  to: endOf(by === undefined ? 'DUE#' : `DUE#${by}#`),
  consistent: true,
})

/**
 * The id of an event's delivery: its time without signs, and its id. So deliveries sort by the times of their events, and a
 * second delivery of an event is the same one.
 */
export const deliveryOf = (sortKey: string): string => `${compactTime(timeOfSortKey(sortKey))}-${idOfEvent(sortKey)}`

/** The time of a delivery's event. */
export function timeOfDelivery(key: Key): string {
  const [day = '', time = ''] = idOfDelivery(key).split('T', 2)
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
  return `${date}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}.${time.slice(6, 9)}Z`
}

/** A time without signs, for ids. */
const compactTime = (moment: string): string => moment.replaceAll(/[-:.]/g, '')

// Lists: the partitions of the indexes.

/** The list of users of one status and role; every user is in exactly one. */
export const userList = (status: string, role: string): string => `USERS#${status}#${role}`
/** The list of the users with a role in a user group. */
export const groupList = (group: string, role: string): string => `GROUP#${group}#${role}`
/** The list of the users with a role on a channel, given directly. */
export const channelList = (channel: string, role: string): string => `CHANNEL#${channel}#${role}`
/** The lists of a user's assignments: of tasks from others, and of the user's own tasks. */
export const ownTaskList = (user: string, isAuthor: boolean): string =>
  `MINE#${user}#${isAuthor ? 'AUTHORED' : 'GIVEN'}`
/** The list of the tasks that a user is the author of. */
export const authoredList = (author: string): string => `TASKS#${author}`
/** The list of a task's recipients, in the index `find`. */
export const recipientList = (task: string): string => `TASK#${task}`
/** The rows of a task's recipients. */
export const recipientsOf = (task: string): Range => ({ index: 'find', hash: recipientList(task) })
/** The recipients of a task who are past their deadline. In no index: `recipientReader` answers for it. */
export const goneRecipientList = (task: string): string => `GONE#${task}`
/** The task of either list of recipients. */
export const taskOfRecipientList = (list: string): string => list.slice(list.indexOf('#') + 1)

/** The kinds of records whose lists are read as a whole. */
export type Catalogue = 'ROLES' | 'GROUPS' | 'CHANNELS'
/** The keys of a record in the catalogue of its kind. */
export const catalogueKeys = (kind: Catalogue, id: string) => ({ find: kind, found: id })
/** All records of a kind. */
export const catalogue = (kind: Catalogue): Range => ({ index: 'find', hash: kind })

// The sort keys of the indexes: a value, a separator and an id, so that equal values sort by id.

/** What a sort key begins with if the record has the value, and if not: records without it come after all others. */
export const PRESENT = '0'
export const MISSING = '1'

/** A sort key stays below DynamoDB's 1,024 bytes with an id, and with a second name after the first. */
const FIRST_PART = 440
const ONLY_PART = 900

/** A sort key in a list sorted by text or time. */
export const sortKey = (value: string | undefined, id: string): string =>
  value !== undefined ? `0${cut(value, ONLY_PART)}${SEPARATOR}${id}` : `1${SEPARATOR}${id}`

/** A sort key in a list sorted by last name, then first name. Both are folded already. */
export const nameSortKey = (lastName: string, firstName: string, id: string): string =>
  `0${cut(lastName, FIRST_PART)}${SEPARATOR}${cut(firstName, FIRST_PART)}${SEPARATOR}${id}`

/** The sort key of an id with a value that `sortValueOf` has taken from another sort key. */
export const sortKeyAt = (sortValue: string, id: string): string => `${sortValue}${SEPARATOR}${id}`

/** An assignment's id in sort keys: a comma sorts below all characters of ids, so assignments sort as their tasks do. */
export const assignmentIdInSortKey = (task: string, user: string): string => `${task},${user}`

/** The sort key of a row in an index. */
export const sortKeyIn = (row: Item, index: string): string => String(row[sortOf(index)])

/** What a sort key begins with, up to its first separator: PRESENT and the value, or MISSING. */
export const sortValueOf = (sortKey: string): string => sortKey.slice(0, sortKey.indexOf(SEPARATOR))

/** The same; null if the record has no value. */
export const valueOrNull = (sortValue: string): string | null => (sortValue.startsWith(MISSING) ? null : sortValue)

/** The text of such a value, and the value of a text. */
export const textOfValue = (value: string): string => value.slice(PRESENT.length)
export const valueOfText = (text: string): string => `${PRESENT}${text}`

/** The id that a sort key ends with. */
export const idOfSortKey = (sortKey: string): string => sortKey.slice(sortKey.lastIndexOf(SEPARATOR) + 1)

/** The largest string that sorts before this sort key. Its last character is one of an id, so there is one before it. */
export const justBefore = (sortKey: string): string =>
  endOf(sortKey.slice(0, -1) + String.fromCharCode(sortKey.charCodeAt(sortKey.length - 1) - 1))

// Search words and values of attributes.

/** How many words of its term a search looks up, the longest first; it checks the others on the rows that it finds. */
export const WORDS_READ = 16

/** Search words longer than this many bytes are cut; matches are then checked against the whole word. */
const WORD_BYTES = 900

/** The keys of a search word. Partitions by first character: no partition holds the words of all users. */
export const wordIndexKeys = (word: string, id: string) => ({
  find: `W#${firstCharacter(word)}`,
  found: `${cut(word, WORD_BYTES)}${SEPARATOR}${id}`,
})
/** The keys of a user with too many words. */
export const manyWordsIndexKeys = (id: string) => ({ find: 'W#', found: id })
/** The user of a search word's row. */
export const userOfWord = (row: Item): string => idOfSortKey(String(row.found))
/** The list of the users with exactly this value of an attribute. */
export const attributeIndexKeys = (name: string, value: string, id: string) => ({ list: pair(name, value), by_id: id })

/** The attributes that a search reads of a word's row, and of an attribute value's: the user, and the hint. */
const OF_WORD = ['found', 'hint']
const OF_VALUE = ['pk', 'hint']

/** Rows of all users with a word that begins like this. */
export const wordsLike = (word: string): Range => ({
  index: 'find',
  hash: `W#${firstCharacter(word)}`,
  beginsWith: cut(word, WORD_BYTES),
  only: OF_WORD,
})
export const usersWithManyWords: Range = { index: 'find', hash: 'W#', only: OF_WORD }
export const havingAttribute = (name: string, value: string): Range => ({
  index: 'by_id',
  hash: pair(name, value),
  only: OF_VALUE,
})

/** Name and value may hold any character: the length of the name says where the value begins. */
const pair = (name: string, value: string): string => `A#${name.length}#${name}#${value}`

const firstCharacter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0)
