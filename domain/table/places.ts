import { cut, SEPARATOR } from '../base/text.ts'
import type { Range } from './store.ts'

// Names of lists, and where records stand in them: partition and sort keys of the indexes.

/** The list of users of one status and role; every user is in exactly one. */
export const userList = (status: string, role: string): string => `USERS#${status}#${role}`
/** The list of those who hold a role in a user group. */
export const groupList = (group: string, role: string): string => `GROUP#${group}#${role}`
/** The list of those who hold a role on a channel directly. */
export const channelList = (channel: string, role: string): string => `CHANNEL#${channel}#${role}`

/** Sort keys stay below DynamoDB's 1,024 bytes with an id and a second name behind the first. */
const FIRST_PART = 440
const ONLY_PART = 900

/** A place in a list sorted by text or time. Records without the value come after all others. */
export const place = (value: string | undefined, id: string): string =>
  value !== undefined ? `0${cut(value, ONLY_PART)}${SEPARATOR}${id}` : `1${SEPARATOR}${id}`

/** A place in a list sorted by last name, then first name. Both are folded already. */
export const namePlace = (lastName: string, firstName: string, id: string): string =>
  `0${cut(lastName, FIRST_PART)}${SEPARATOR}${cut(firstName, FIRST_PART)}${SEPARATOR}${id}`

/** What a place starts with when the value is there, and when it is missing. */
export const PRESENT = '0'
export const MISSING = '1'

/** The value that orders a place before its ties: what stands before the first separator. */
export const leadOf = (rank: string): string => rank.slice(0, rank.indexOf(SEPARATOR))

/** The value that such a beginning stands for; undefined where the record has none. */
export const valueOfLead = (lead: string): string | undefined => (lead.startsWith(MISSING) ? undefined : lead)

/** The id that a place ends with, and the place of an id behind a value. */
export const idOfPlace = (rank: string): string => rank.slice(rank.lastIndexOf(SEPARATOR) + 1)
export const placeAt = (lead: string, id: string): string => `${lead}${SEPARATOR}${id}`

/** The kinds of records whose lists are read as a whole. */
export type Catalogue = 'ROLES' | 'GROUPS' | 'CHANNELS'
/** Where a record stands in the catalogue of its kind. */
export const cataloguePlace = (kind: Catalogue, id: string) => ({ find: kind, found: id })
/** All records of a kind. */
export const catalogue = (kind: Catalogue): Range => ({ index: 'find', hash: kind })

/** TTL: DynamoDB may drop an item from this epoch second on, rounded up so that it is never early. */
export const ttlOf = (moment: string): number => Math.ceil(Date.parse(moment) / 1000)
