/**
 * THE TABLE. Each record's key, each list's index, each expiry: nowhere else is a key written.
 *
 * pk                sk                  record
 * ORGANISATION      ORGANISATION        settings, features, ids of the predefined roles and groups
 * CALENDAR          SETTINGS            the calendar settings, once somebody has changed them
 * USER#id           USER                the user; also his place in the nine sorted lists of users, and a search word of his
 * USER#id           A#name              one attribute value, in the list of those who have it; also a search word
 * USER#id           W#00…               a search word each that no other item of his stands for: a change overwrites in place
 * USER#id           GA#group#role       his role in a user group
 * USER#id           CA#channel#role     his role on a channel, held directly
 * USER#id           TA#task             his assignment of a task; also its places in his own lists and in the task's
 * USER#id           GONE                the tombstone: keeps the id from ever being used again
 * USERNAME#folded   USERNAME            who holds the username, until when; also a search word of his
 * EXTERNAL#id       EXTERNAL            who holds the external id, until when; also a search word
 * USERS             ADMINS              number of unprotected active administrators
 * USERS             N#00…31             number of users per status and role, and of those who have an attribute, in shards
 * USERS             P#deletion_at#id    a user to remove for good at that moment, and how they are counted until then
 * GROUP#id          GROUP               a user group
 * GROUP#id          N#00…31             number of its assignments per role, in shards; closed once it is archived or deleted
 * GROUP#id          C#channel           a channel that it is attached to: the other end of `G#group` there
 * GROUP_EXTERNAL#id EXTERNAL            which user group holds the external id
 * GROUP_TREE        VERSION             counts the changes of the tree of groups
 * GROUPS            group               parent and status of a group: the whole tree in one query
 * ROLE#id           ROLE                a role
 * ROLE#id           N#00…31             how often a custom role is used, in shards; closed once it is deleted
 * ROLE_EXTERNAL#id  EXTERNAL            which role holds the external id
 * ATTRIBUTE#name    ATTRIBUTE           an attribute definition; for a day or more, that it was deleted
 * ATTRIBUTES        00…49               the name of each of them, in as many places as there may be
 * CHANNEL#id        CHANNEL             a channel
 * CHANNEL#id        G#group             a user group attached to it
 * CHANNEL#id        N#role              number of users who hold the role directly
 * TASK#id           TASK                a task, and the number of its assignments; its author's operations follow each other here
 * TASK#id           GONE                that there was a task, and whose, for 30 days: who had to do with it is told so
 * TASK#id           P#00…63             how many of its recipients opened and finished it, in shards: they never meet
 * TASK_EXTERNAL#…   EXTERNAL            which task of an author has the external id
 * WORK              kind#id             what is left to do, and when it is due: see work.ts
 *
 * Secondary indexes: `by_…` order a `list`, two of them users by one thing and tasks by another, `by_id` also who has an
 * attribute's value; `find` holds search words, recipients by name, and the catalogues of roles, groups and channels.
 */
import type { Key, Range } from './store.ts'

/** Whoever has more search words is found through the partition of the wordy. */
export const MOST_WORDS = 32

/** A number in two digits, so that texts sort as numbers. */
export const two = (n: number): string => String(n).padStart(2, '0')

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

/** The user under whose key a row of an index lies. */
export const userOfRow = ({ pk }: Key): string => pk.slice('USER#'.length)
/** What the key of an assignment to a group or channel says. */
export function partsOfAssignment({ sk }: Key): { kind: 'GROUP' | 'CHANNEL'; place: string; role: string } {
  const [kind, place = '', role = ''] = sk.split('#')
  return { kind: kind === 'CA' ? 'CHANNEL' : 'GROUP', place, role }
}

/** The attribute of a group's counter shard that counts a role; prefixed, as a role's id may be any word. */
export const roleCount = (role: string): string => `role:${role}`
/** The role that an attribute of a counter shard counts, if it counts one. */
export const countedRole = (attribute: string): string | undefined =>
  attribute.startsWith('role:') ? attribute.slice('role:'.length) : undefined

/** Everything that lies under a user's own key. */
export const ofUser = (id: string): Range => ({ hash: `USER#${id}`, consistent: true })
/** His assignments to groups, channels and tasks; his tombstone, if there is one, lies among them. */
export const assignmentsOf = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'TA$' })
/**
 * The same with the user himself, who comes first: whatever is given to him after that moves his version on, so that
 * nothing can be missing of what he held at the version that is read.
 */
export const withAssignments = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'USER', descending: true })
/** Those of them that are roles, in groups and on channels. */
export const rolesOfUser = (id: string): Range => ({ ...ofUser(id), from: 'CA#', to: 'GA$' })
/** Their roles in groups. */
export const groupRolesOfUser = (id: string): Range => ({ ...ofUser(id), beginsWith: 'GA#' })
/** What an item of a user is an assignment to; undefined for other items. */
export const kindOfAssignment = ({ sk }: Key): 'GROUP' | 'CHANNEL' | 'TASK' | undefined =>
  (({ 'GA#': 'GROUP', 'CA#': 'CHANNEL', 'TA#': 'TASK' }) as const)[sk.slice(0, 3)]
/** Whether an item of a user is one of their assignments. */
export const isAssignment = ({ sk }: Key): boolean => /^(CA|GA|TA)#/.test(sk)
/** Whether it is one of a task. */
export const isTaskAssignment = ({ sk }: Key): boolean => sk.startsWith('TA#')
export const userCounts: Range = { hash: 'USERS', beginsWith: 'N#' }
export const adminCount: Range = { hash: 'USERS', beginsWith: 'ADMINS' }
export const groupCounts = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'N#' })
/** The channels that a group is attached to. */
export const channelsOfGroup = (id: string): Range => ({ hash: `GROUP#${id}`, beginsWith: 'C#', consistent: true })
/** The channel that such an end of an attachment names. */
export const channelOfPointer = ({ sk }: Key): string => sk.slice('C#'.length)
/** All user groups with their parents and states. */
export const groupTree: Range = { hash: 'GROUPS' }
/** A channel with the groups attached to it and the numbers of direct holders per role. */
export const wholeChannel = (id: string): Range => ({ hash: `CHANNEL#${id}`, consistent: true })
/** Whether an item under a channel's key is a group attached to it, or a number of holders, and of which role. */
export const isChannelGroup = ({ sk }: Key): boolean => sk.startsWith('G#')
export const isChannelCount = ({ sk }: Key): boolean => sk.startsWith('N#')
export const roleOfChannelCount = ({ sk }: Key): string => sk.slice('N#'.length)
/** Entries of users whose deadline has passed and who are not yet removed. */
export const overdue = (now: string): Range => ({ hash: 'USERS', from: 'P#', to: `P#${now}#\uffff` })
/** The counters of users, and behind them the same entries: read together they fit each other. */
export const countsAndOverdue = (now: string): Range => ({ ...overdue(now), from: 'N#' })
/** Entries of all users pending deletion, their deadline passed or not. */
export const leaving: Range = { hash: 'USERS', beginsWith: 'P#' }
/** Whether an item beside the counters is such an entry, the deadline that it names, and the user. */
export const isPurge = ({ sk }: Key): boolean => sk.startsWith('P#')
export const deadlineOfPurge = ({ sk }: Key): string => sk.slice('P#'.length, sk.lastIndexOf('#'))
export const userOfPurge = ({ sk }: Key): string => sk.slice(sk.lastIndexOf('#') + 1)

export const roleExternalIdKey = (externalId: string): Key => ({ pk: `ROLE_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
export const roleUseKey = (id: string, shard: number): Key => ({ pk: `ROLE#${id}`, sk: `N#${two(shard)}` })
/** A role with the counter of its uses. */
export const ofRole = (id: string): Range => ({ hash: `ROLE#${id}`, consistent: true })

export const groupExternalIdKey = (externalId: string): Key => ({ pk: `GROUP_EXTERNAL#${externalId}`, sk: 'EXTERNAL' })
/** Counts the changes of the tree of groups: a move or removal must have seen the tree as it is. */
export const treeVersionKey: Key = { pk: 'GROUP_TREE', sk: 'VERSION' }

/** Places for attribute definitions: so no more can be made of them, however many people make some at the same time. */
export const DEFINITION_PLACES = 50

export const attributeKey = (name: string): Key => ({ pk: `ATTRIBUTE#${name}`, sk: 'ATTRIBUTE' })
/** The technical name of the definition that lies under such a key. */
export const nameOfDefinition = ({ pk }: Key): string => pk.slice('ATTRIBUTE#'.length)
export const definitionPlaceKey = (place: number): Key => ({ pk: 'ATTRIBUTES', sk: two(place) })
/** The names of all attribute definitions. */
export const definitionPlaces: Range = { hash: 'ATTRIBUTES', consistent: true }

/** The attribute of a counter of users that counts who has a value of a definition. */
export const useCount = (name: string): string => `a:${name}`
/** The attribute there that says which edition of a definition values must fit; without it, the first. */
export const editionMark = (name: string): string => `e:${name}`
/** The definition that such an attribute is about, if it says an edition. */
export const markedName = (attribute: string): string | undefined =>
  attribute.startsWith('e:') ? attribute.slice('e:'.length) : undefined
