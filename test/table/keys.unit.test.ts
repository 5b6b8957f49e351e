import { describe, expect, it } from 'vitest'
import * as keys from '../../domain/table/keys.ts'
import type { Key, Range } from '../../domain/table/store.ts'
import { notesWork, workEntry } from '../../domain/table/work.ts'

// What is stored once is read by every later version: keys and names never change unnoticed.

const at = (key: Key) => `${key.pk} ${key.sk}`

const keyRows = (): [Key, string][] => [
  [keys.organisationKey, 'ORGANISATION ORGANISATION'],
  [keys.calendarKey, 'CALENDAR SETTINGS'],
  [keys.userKey('u'), 'USER#u USER'],
  [keys.tombstoneKey('u'), 'USER#u GONE'],
  [keys.wordKey('u', 3), 'USER#u W#03'],
  [keys.attributeValueKey('u', 'a'), 'USER#u A#a'],
  [keys.groupAssignmentKey('u', 'g', 'r'), 'USER#u GA#g#r'],
  [keys.channelAssignmentKey('u', 'c', 'r'), 'USER#u CA#c#r'],
  [keys.taskAssignmentKey('u', 't'), 'USER#u TA#t'],
  [keys.usernameKey('Ann'), 'USERNAME#ann USERNAME'],
  [keys.externalIdKey('E'), 'EXTERNAL#E EXTERNAL'],
  [keys.userCountKey(31), 'USERS N#31'],
  [keys.adminCountKey, 'USERS ADMINS'],
  [keys.purgeKey('2026', 'u'), 'USERS P#2026#u'],
  [keys.groupKey('g'), 'GROUP#g GROUP'],
  [keys.groupTreeKey('g'), 'GROUPS g'],
  [keys.groupCountKey('g', 0), 'GROUP#g N#00'],
  [keys.groupChannelKey('g', 'c'), 'GROUP#g C#c'],
  [keys.groupExternalIdKey('E'), 'GROUP_EXTERNAL#E EXTERNAL'],
  [keys.treeVersionKey, 'GROUP_TREE VERSION'],
  [keys.roleKey('r'), 'ROLE#r ROLE'],
  [keys.roleExternalIdKey('E'), 'ROLE_EXTERNAL#E EXTERNAL'],
  [keys.roleUseKey('r', 9), 'ROLE#r N#09'],
  [keys.channelKey('c'), 'CHANNEL#c CHANNEL'],
  [keys.channelCountKey('c', 'r'), 'CHANNEL#c N#r'],
  [keys.channelGroupKey('c', 'g'), 'CHANNEL#c G#g'],
  [keys.attributeKey('a'), 'ATTRIBUTE#a ATTRIBUTE'],
  [keys.definitionPlaceKey(7), 'ATTRIBUTES 07'],
  [keys.taskKey('t'), 'TASK#t TASK'],
  [keys.repetitionKey('h'), 'KEY#h KEY'],
  [keys.importKey('i'), 'IMPORTS i'],
  [keys.cursorSecretKey, 'SECRETS CURSORS'],
  [keys.layoutKey, 'LAYOUT LAYOUT'],
  [keys.workKey('group', 'g'), 'WORK group#g'],
  [keys.eventKey({ kind: 'role', id: 'r' }, 'p'), 'EVENTS#role#r p'],
  [keys.taskProgressKey('t', 63), 'TASK#t P#63'],
  [keys.taskTombstoneKey('t'), 'TASK#t GONE'],
  [keys.taskExternalIdKey('u', 'E'), 'TASK_EXTERNAL#u#E EXTERNAL'],
]
it('each item has its key', () => {
  for (const [key, expected] of keyRows()) expect(at(key)).toBe(expected)
})

const rangeRows = (): [Range, Range][] => [
  [keys.ofUser('u'), { hash: 'USER#u', consistent: true }],
  [keys.assignmentsOf('u'), { hash: 'USER#u', consistent: true, from: 'CA#', to: 'TA$' }],
  [keys.withAssignments('u'), { hash: 'USER#u', consistent: true, from: 'CA#', to: 'USER', descending: true }],
  [keys.rolesOfUser('u'), { hash: 'USER#u', consistent: true, from: 'CA#', to: 'GA$' }],
  [keys.groupRolesOfUser('u'), { hash: 'USER#u', consistent: true, beginsWith: 'GA#' }],
  [keys.userCounts, { hash: 'USERS', beginsWith: 'N#' }],
  [keys.adminCount, { hash: 'USERS', beginsWith: 'ADMINS' }],
  [keys.groupCounts('g'), { hash: 'GROUP#g', beginsWith: 'N#' }],
  [keys.channelsOfGroup('g'), { hash: 'GROUP#g', beginsWith: 'C#', consistent: true }],
  [keys.groupTree, { hash: 'GROUPS' }],
  [keys.wholeChannel('c'), { hash: 'CHANNEL#c', consistent: true }],
  [keys.ofRole('r'), { hash: 'ROLE#r', consistent: true }],
  [keys.definitionPlaces, { hash: 'ATTRIBUTES', consistent: true }],
  [keys.overdue('2026'), { hash: 'USERS', from: 'P#', to: 'P#2026#\uffff' }],
  [keys.countsAndOverdue('2026'), { hash: 'USERS', from: 'N#', to: 'P#2026#\uffff' }],
  [keys.leaving, { hash: 'USERS', beginsWith: 'P#' }],
  [keys.imports, { hash: 'IMPORTS', consistent: true }],
  [keys.eventsAmong({ kind: 'role', id: 'r' }), { hash: 'EVENTS#role#r' }],
  [keys.eventsBy('u'), { index: 'find', hash: 'ACTOR#u' }],
  [keys.ofTask('t'), { hash: 'TASK#t', consistent: true }],
  [keys.recipientsOf('t'), { index: 'find', hash: 'TASK#t' }],
]
it('each range holds what it says', () => {
  for (const [range, expected] of rangeRows()) expect(range).toEqual(expected)
})

const nameRows = () => [
  [keys.ownTaskList('u', true), 'MINE#u#AUTHORED'],
  [keys.ownTaskList('u', false), 'MINE#u#GIVEN'],
  [keys.authoredList('u'), 'TASKS#u'],
  [keys.recipientList('t'), 'TASK#t'],
  [keys.roleCount('r'), 'role:r'],
  [keys.useCount('a'), 'a:a'],
  [keys.editionMark('a'), 'e:a'],
]
it('each list and count has its name', () => {
  for (const [name, expected] of nameRows()) expect(name).toBe(expected)
})

describe('what a key says', () => {
  it('of an item of a user', () => {
    const items = [keys.groupAssignmentKey('u', 'g', 'r'), keys.channelAssignmentKey('u', 'c', 'r')]
    const others = [keys.taskAssignmentKey('u', 't'), keys.userKey('u'), keys.attributeValueKey('u', 'GA#')]
    const all = [...items, ...others]
    expect(all.map(keys.userOfRow)).toEqual(['u', 'u', 'u', 'u', 'u'])
    expect(all.map(keys.kindOfAssignment)).toEqual(['GROUP', 'CHANNEL', 'TASK', undefined, undefined])
    expect(all.map(keys.isAssignment)).toEqual([true, true, true, false, false])
    expect(all.map((key) => keys.kindOfAssignment(key) === 'TASK')).toEqual([false, false, true, false, false])
    expect(items.map(keys.partsOfAssignment)).toEqual([
      { kind: 'GROUP', target: 'g', role: 'r' },
      { kind: 'CHANNEL', target: 'c', role: 'r' },
    ])
    expect(keys.partsOfAssignment({ pk: '', sk: 'GA' })).toEqual({ kind: 'GROUP', target: '', role: '' })
  })

  it('of an item of a channel, or of the other end of an attachment', () => {
    const items = [keys.channelGroupKey('c', 'g'), keys.channelCountKey('c', 'r'), keys.channelKey('c')]
    expect(items.map(keys.isChannelGroup)).toEqual([true, false, false])
    expect(items.map(keys.isChannelCount)).toEqual([false, true, false])
    expect(keys.roleOfChannelCount(keys.channelCountKey('c', 'r'))).toBe('r')
    expect(keys.channelOfPointer(keys.groupChannelKey('g', 'c'))).toBe('c')
  })

  it('of a user to remove, of a definition and of counters', () => {
    const entry = keys.purgeKey('2026', 'u')
    expect([keys.deadlineOfPurge(entry), keys.userOfPurge(entry)]).toEqual(['2026', 'u'])
    expect([entry, keys.userCountKey(0), keys.adminCountKey].map(keys.isPurge)).toEqual([true, false, false])
    expect([keys.countedRole('role:r'), keys.countedRole('closed'), keys.countedRole('a role:')]).toEqual([
      'r',
      undefined,
      undefined,
    ])
    expect([keys.markedName('e:a'), keys.markedName('a:a'), keys.markedName('ae:')]).toEqual([
      'a',
      undefined,
      undefined,
    ])
  })

  it('of an event: whose it is, and its time', () => {
    const place = keys.eventPlace('2026-11-21T09:00:00.000Z', 'e')
    expect([keys.timeOfPlace(place), keys.idOfEvent(place)]).toEqual(['2026-11-21T09:00:00.000Z', 'e'])
    const records = ['user', 'users', 'role'].map((kind) => keys.eventKey({ kind, id: 'u' }, place))
    expect(records.map(keys.userOfEvent)).toEqual(['u', undefined, undefined])
    expect(keys.joinedId('u', 'g', 'r')).toBe('u~g~r')
  })

  it('of work that an action notes: what is new, or noted again', () => {
    const entry = workEntry('places', 't', { task: 't' }, '2026-11-21T09:00:00.000Z')
    const [put, elsewhere] = [{ put: entry }, { put: keys.roleKey('r') }]
    const again = { update: entry, setOnce: { taker: 'CALL' } }
    const others = [{ update: entry, set: { left: 1 } }, { ...again, update: keys.roleKey('r') }, { delete: entry }]
    expect([put, again, elsewhere, ...others].map(notesWork)).toEqual([true, true, false, false, false, false])
    expect([entry, keys.roleKey('r')].map(keys.isWork)).toEqual([true, false])
  })

  it('of a row of a task, or of an assignment of one', () => {
    const [task, assignment] = [keys.taskKey('t'), keys.taskAssignmentKey('u', 's')]
    expect([keys.isTaskRow(task), keys.isTaskRow(assignment)]).toEqual([true, false])
    expect([keys.taskOfRow(task), keys.taskOfRow(assignment)]).toEqual(['t', 's'])
    expect(keys.taskOfAssignment(assignment)).toBe('s')
  })
})

it('events of a day lie in eight lists, and each in one of them', () => {
  const lists = Array.from({ length: 8 }, (_, n) => `EVENTS#2026-11-21#${n}`)
  expect(keys.eventsOn('2026-11-21')).toEqual(lists.map((hash) => ({ index: 'by_created_at', hash })))
  const places = Array.from({ length: 8 }, (_, n) => keys.eventPlace('2026-11-21T09:00:00.000Z', String(n)))
  expect(new Set(places.map((place) => keys.eventPlaces(place, null).list))).toEqual(new Set(lists))
  const [place = ''] = places
  expect(keys.eventPlaces(place, null)).toEqual({ list: expect.any(String), by_created_at: place })
  expect(keys.eventPlaces(place, 'u')).toMatchObject({ by_created_at: place, find: 'ACTOR#u', found: place })
})

describe('a username', () => {
  it.each([
    ['ANN', 'ann'],
    ['ΟΔΥΣΣΕΎΣ', 'οδυσσεύσ'],
    ['ς', 'σ'],
    ['e\u0301', 'é'],
  ])('%s is reserved as %s', (username, reserved) => {
    expect(keys.reservedUsername(username)).toBe(reserved)
  })

  it('that grows too long by being normalized is taken as it came', () => {
    // One character of two units, which normalizes to three of two units each.
    const sign = '\u{1d160}'
    const grown = sign.normalize('NFC').length
    const fits = Math.floor(510 / grown)
    expect(keys.reservedUsername(sign.repeat(fits))).toBe(sign.repeat(fits).normalize('NFC'))
    expect(keys.reservedUsername(sign.repeat(fits + 1))).toBe(sign.repeat(fits + 1))
    const exactly = `${'a'.repeat(510 - grown * 2)}${sign}${sign}`
    expect(keys.reservedUsername(exactly)).toBe(exactly.normalize('NFC'))
    expect(keys.reservedUsername(`a${exactly}`)).toBe(`a${exactly}`)
  })
})
