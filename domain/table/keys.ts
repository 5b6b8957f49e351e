/**
 * THE TABLE. Each record's key, each list's index, each expiry: nowhere else is a key written.
 *
 * pk                sk                  record
 * ORGANISATION      ORGANISATION        settings, features, ids of the predefined roles and groups
 * CALENDAR          SETTINGS            the calendar settings; missing until the first change
 * USER#id           USER                a user; places in the nine sorted lists of users; one search word
 * USER#id           A#name              the value of one attribute; place among the users with this value; one search word
 * USER#id           W#00…               one search word each, where the items above and the names do not suffice
 * USER#id           GA#group#role       a role of the user in a user group
 * USER#id           CA#channel#role     a role of the user on a channel, given directly
 * USER#id           TA#task             a task of the user; places in the user's own lists and in the task's list
 * USER#id           GONE                the tombstone: the id is never used again
 * USERNAME#folded   USERNAME            the user who has this username, and until when; one search word
 * EXTERNAL#id       EXTERNAL            the user who has this external id, and until when; one search word
 * USERS             ADMINS              number of unprotected active administrators
 * USERS             N#00…31             numbers of users per status and role, and per attribute, and the last move, in shards
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
 * ATTRIBUTE#name    ATTRIBUTE           an attribute definition; after its deletion a mark, for a day or more
 * ATTRIBUTES        00…49               the name of one definition each: 50 places, so 50 definitions at most
 * CHANNEL#id        CHANNEL             a channel
 * CHANNEL#id        G#group             a user group attached to it
 * CHANNEL#id        N#role              number of users who hold the role directly
 * TASK#id           TASK                a task and the number of its assignments
 * TASK#id           GONE                author of a deleted task, for 30 days: for the errors that say that it is deleted
 * TASK#id           P#00…63             numbers of its opened and finished assignments, in shards
 * TASK_EXTERNAL#…   EXTERNAL            the task of an author that has this external id
 * WORK              kind#id             work that is left to do, and when it is due: see work.ts
 * KEY#hash          KEY                 the record that an Idempotency-Key of a caller has created, for 24 hours
 * IMPORTS           hash of a name      an import of a large file that is under way, and how far it is
 * LAYOUT            LAYOUT              the number of the table's layout: see layout.ts; missing in a table of layout 1
 * SECRETS           CURSORS             what cursors are sealed with; only functions that make cursors may read it
 * EVENTS#kind#id    time, id            a change of a record, its time and its actor: see events.ts
 *
 * Secondary indexes: the indexes `by_…` sort the rows of a `list`. `by_location_or_due` and `by_username_or_change` sort
 * users by the first and tasks by the second; `by_id` also lists the users with a value of an attribute. The index `find`
 * holds search words, the recipients of tasks by name, and the catalogues of roles, groups and channels.
 */
import type { Action, Key, Range } from './store.ts'

/** The most search words that a user has items for. Users with more are found by another list: see wordyPlace. */
export const MOST_WORDS = 32

/** The partition of all entries of work. */
export const WORK = 'WORK'
/** Whether an item is an entry of work. */
export const isWork = ({ pk }: Key): boolean => pk === WORK
/** Whether an action notes work: new work, or work that may have been noted before. */
export const notesWork = (action: Action): boolean =>
  ('put' in action && isWork(action.put)) ||
  ('update' in action && isWork(action.update) && action.setOnce !== undefined)

/** A number in two digits, so that texts sort as numbers. */
export const two = (n: number): string => String(n).padStart(2, '0')

export const repetitionKey = (hash: string): Key => ({ pk: `KEY#${hash}`, sk: 'KEY' })
export const importKey = (id: string): Key => ({ pk: 'IMPORTS', sk: id })
/** All imports of large files that are under way. */
export const imports: Range = { hash: 'IMPORTS', consistent: true }
/** Roles on AWS are told by this partition who may read secrets: see local/build/statements.ts. */
export const SECRETS = 'SECRETS'
export const cursorSecretKey: Key = { pk: SECRETS, sk: 'CURSORS' }
export const layoutKey: Key = { pk: 'LAYOUT', sk: 'LAYOUT' }
export const organisationKey: Key = { pk: 'ORGANISATION', sk: 'ORGANISATION' }
export const calendarKey: Key = { pk: 'CALENDAR', sk: 'SETTINGS' }
export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'USER' })
export const tombstoneKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'GONE' })
export const wordKey = (id: string, slot: number): Key => ({ pk: `USER#${id}`, sk: `W#${two(slot)}` })
export const attributeValueKey = (id: string, name: string): Key => ({ pk: `USER#${id}`, sk: `A#${name}` })
export const groupAssignmentKey = (id: string, group: string, role: string): Key => ({
  pk: `USER#${id}`,
  sk: `GA#${group}#${role}`,
})
export const channelAssignmentKey = (id: string, channel: string, role: string): Key => ({
  pk: `USER#${id}`,
  sk: `CA#${channel}#${role}`,
})
export const usernameKey = (username: string): Key => ({ pk: `USERNAME#${reservedUsername(username)}`, sk: 'USERNAME' })
export const externalIdKey = (externalId: string): Key => ({ pk: `EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const userCountKey = (shard: number): Key => ({ pk: 'USERS', sk: `N#${two(shard)}` })
export const adminCountKey: Key = { pk: 'USERS', sk: 'ADMINS' }
export const purgeKey = (deletionAt: string, id: string): Key => ({ pk: 'USERS', sk: `P#${deletionAt}#${id}` })
export const groupKey = (id: string): Key => ({ pk: `GROUP#${id}`, sk: 'GROUP' })
export const groupTreeKey = (id: string): Key => ({ pk: 'GROUPS', sk: id })
export const groupCountKey = (id: string, shard: number): Key => ({ pk: `GROUP#${id}`, sk: `N#${two(shard)}` })
export const groupChannelKey = (id: string, channel: string): Key => ({ pk: `GROUP#${id}`, sk: `C#${channel}` })
export const roleKey = (id: string): Key => ({ pk: `ROLE#${id}`, sk: 'ROLE' })
export const channelKey = (id: string): Key => ({ pk: `CHANNEL#${id}`, sk: 'CHANNEL' })
export const channelCountKey = (id: string, role: string): Key => ({ pk: `CHANNEL#${id}`, sk: `N#${role}` })
export const channelGroupKey = (id: string, group: string): Key => ({ pk: `CHANNEL#${id}`, sk: `G#${group}` })
export const taskKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'TASK' })
export const taskAssignmentKey = (id: string, task: string): Key => ({ pk: `USER#${id}`, sk: `TA#${task}` })

/**
 * Usernames are unique regardless of case only: accents tell people apart. A final sigma is a sigma. Some musical signs
 * grow when normalized; where that makes more than a key may hold, they are taken as they came.
 */
export function reservedUsername(username: string): string {
  const lower = username.toLowerCase().replaceAll('ς', 'σ')
  const normal = lower.normalize('NFC')
  return normal.length <= LONGEST_NORMAL ? normal : lower
}
const LONGEST_NORMAL = 510

/** The user that a row of an index belongs to. */
export const userOfRow = ({ pk }: Key): string => pk.slice('USER#'.length)
/** What the key of an assignment to a group or channel says. */
export function partsOfAssignment({ sk }: Key): { kind: 'GROUP' | 'CHANNEL'; place: string; role: string } {
  const [kind, place = '', role = ''] = sk.split('#')
  return { kind: kind === 'CA' ? 'CHANNEL' : 'GROUP', place, role }
}

/** The count of a role in a group's counter. The prefix keeps ids of roles from clashing with other attributes. */
export const roleCount = (role: string): string => `role:${role}`
/** The role that such a count is of; undefined for other attributes. */
export const countedRole = (attribute: string): string | undefined =>
  attribute.startsWith('role:') ? attribute.slice('role:'.length) : undefined

/** Everything that lies under a user's own key. */
export const ofUser = (id: string): Range => ({ hash: `USER#${id}`, consistent: true })
/** The user's assignments to groups, channels and tasks. A tombstone may lie among them. */
export const assignmentsOf = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'TA$' })
/**
 * The same and the user, who is read first. Each new role in a group or on a channel moves the user's version on, so all of
 * these are there that the user has at the version that is read.
 */
export const withAssignments = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'USER', descending: true })
/** The user's roles in groups and on channels. */
export const rolesOfUser = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'GA$' })
/** The user's roles in groups. */
export const groupRolesOfUser = (id: string): Range => ({ ...ofUser(id), beginsWith: 'GA#' })
/** What an item of a user is an assignment to; undefined for other items. */
export const kindOfAssignment = ({ sk }: Key): 'GROUP' | 'CHANNEL' | 'TASK' | undefined =>
  (({ 'GA#': 'GROUP', 'CA#': 'CHANNEL', 'TA#': 'TASK' }) as const)[sk.slice(0, 3)]
export const isAssignment = (key: Key): boolean => kindOfAssignment(key) !== undefined
export const userCounts: Range = { hash: 'USERS', beginsWith: 'N#' }
export const adminCount: Range = { hash: 'USERS', beginsWith: 'ADMINS' }
export const groupCounts = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'N#' })
/** The channels that a group is attached to. */
export const channelsOfGroup = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'C#', consistent: true })
/** The channel that such an item names. */
export const channelOfPointer = ({ sk }: Key): string => sk.slice('C#'.length)
/** All user groups with their parents and states. */
export const groupTree: Range = { hash: 'GROUPS' }
/** A channel with the groups attached to it and the numbers of users per role. */
export const wholeChannel = (id: string): Range => ({ hash: `CHANNEL#${id}`, consistent: true })
/** Whether an item of a channel is an attached group, or the number of users with a role, and that role. */
export const isChannelGroup = ({ sk }: Key): boolean => sk.startsWith('G#')
export const isChannelCount = ({ sk }: Key): boolean => sk.startsWith('N#')
export const roleOfChannelCount = ({ sk }: Key): string => sk.slice('N#'.length)
/** Entries of users whose deadline has passed and who are not yet removed. */
export const overdue = (now: string): Range => ({ hash: 'USERS', from: 'P#', to: `P#${now}#\uffff` })
/** The counters of users and these entries, in one query: read together they fit each other. */
export const countsAndOverdue = (now: string): Range => ({ ...overdue(now), from: 'N#' })
/** Entries of all users pending deletion, their deadline passed or not. */
export const leaving: Range = { hash: 'USERS', beginsWith: 'P#' }
/** Whether an item under USERS is such an entry; its deadline; its user. */
export const isPurge = ({ sk }: Key): boolean => sk.startsWith('P#')
export const deadlineOfPurge = ({ sk }: Key): string => sk.slice('P#'.length, sk.lastIndexOf('#'))
export const userOfPurge = ({ sk }: Key): string => sk.slice(sk.lastIndexOf('#') + 1)

export const roleExternalIdKey = (externalId: string): Key => ({ pk: `ROLE_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const roleUseKey = (id: string, shard: number): Key => ({ pk: `ROLE#${id}`, sk: `N#${two(shard)}` })
/** A role with the counter of its uses. */
export const ofRole = (id: string): Range => ({ hash: `ROLE#${id}`, consistent: true })

export const groupExternalIdKey = (externalId: string): Key => ({ pk: `GROUP_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
/** A move or removal of a group needs the tree as it was read: see treeChanged. */
export const treeVersionKey: Key = { pk: 'GROUP_TREE', sk: 'VERSION' }

/** The most attribute definitions. Each takes a place of its own, so creations at the same time cannot pass the limit. */
export const DEFINITION_PLACES = 50

export const attributeKey = (name: string): Key => ({ pk: `ATTRIBUTE#${name}`, sk: 'ATTRIBUTE' })
export const definitionPlaceKey = (place: number): Key => ({ pk: 'ATTRIBUTES', sk: two(place) })
/** The names of all attribute definitions. */
export const definitionPlaces: Range = { hash: 'ATTRIBUTES', consistent: true }

/** In the counter of users: how many have a value of a definition. */
export const useCount = (name: string): string => `a:${name}`
/** In the counter of users: the edition of a definition that values must fit. Without it, the first one. */
export const editionMark = (name: string): string => `e:${name}`
/** The definition whose edition an attribute says; undefined for other attributes. */
export const markedName = (attribute: string): string | undefined =>
  attribute.startsWith('e:') ? attribute.slice('e:'.length) : undefined
