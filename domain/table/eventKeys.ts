// Part of THE TABLE (keys.ts): where events lie, and the lists that they are in.
import { SEPARATOR } from '../base/text.ts'
import * as places from './places.ts'
import type { Key, Named, Range } from './store.ts'

/** The events of a day are spread over so many lists, so that writers do not wait for each other. */
const LISTS = 8

/** What the partitions of events begin with. */
export const EVENTS = 'EVENTS#'
const partOf = ({ kind, id }: Named): string => `${EVENTS}${kind}#${id}`
const dayList = (day: string, nth: number): string => `${EVENTS}${day}#${nth}`
const actorList = (actor: string): string => `ACTOR#${actor}`

/** The id of a record that has several: no id has a tilde. */
export const joinedId = (...ids: readonly string[]): string => ids.join('~')

/** An event among those of a record, at its place in time. */
export const eventKey = (record: Named, place: string): Key => ({ pk: partOf(record), sk: place })
/** The place of an event: after all earlier ones. */
export const eventPlace = (time: string, id: string): string => places.placeAt(time, id)
/** The time and the id in such a place. */
export const timeOfPlace = (place: string): string => place.slice(0, place.indexOf(SEPARATOR))
export const idOfEvent = places.idOfPlace

/** An event's places in the lists of its day and of its actor. */
export const eventPlaces = (place: string, actor: string | null) => ({
  list: dayList(place.slice(0, DAY), sumOf(place) % LISTS),
  by_created_at: place,
  ...(actor === null ? {} : { find: actorList(actor), found: place }),
})
const DAY = '2026-01-01'.length
const sumOf = (text: string): number => [...text].reduce((sum, character) => sum + character.charCodeAt(0), 0)

/** The user among whose events an event lies; undefined for those of other records. */
export const userOfEvent = ({ pk }: Key): string | undefined =>
  pk.startsWith(USERS) ? pk.slice(USERS.length) : undefined
const USERS = partOf({ kind: 'user', id: '' })

/** The events of a record, of a day, and of an actor. */
export const eventsAmong = (record: Named): Range => ({ hash: partOf(record) })
export const eventsOn = (day: string): Range[] =>
  Array.from({ length: LISTS }, (_, nth) => ({ index: 'by_created_at', hash: dayList(day, nth) }))
export const eventsBy = (actor: string): Range => ({ index: 'find', hash: actorList(actor) })
