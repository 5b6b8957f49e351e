import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Key, Range } from '../../domain/table/store.ts'
import { notesWork, workEntry } from '../../domain/table/work.ts'

/** Texts that look like parts of keys, too: ids of legal characters, and free texts for names from elsewhere. */
const id = fc.string({ unit: fc.constantFrom(...'abUSER-_.09'), minLength: 1, maxLength: 6 })
const free = fc.string({ unit: fc.constantFrom(...'a#~ USER\u0001ä'), minLength: 1, maxLength: 6 })
const shard = fc.nat(63)
const moment = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** A kind of key, and the ranges that hold it: of the record with the same first id, or of all records. */
type Kind = { key: (...parts: (string | number)[]) => Key; parts: fc.Arbitrary<string | number>[]; ranges: string[] }
const kind = <P extends (string | number)[]>(
  key: (...parts: P) => Key,
  parts: { [N in keyof P]: fc.Arbitrary<P[N]> },
  ...ranges: string[]
): Kind => ({ key: (...some) => key(...(some as unknown as P)), parts: [...parts], ranges })

const kinds: Record<string, Kind> = {
  organisation: kind(() => keys.organisationKey, []),
  calendar: kind(() => keys.calendarKey, []),
  layout: kind(() => keys.layoutKey, []),
  secret: kind(() => keys.cursorSecretKey, []),
  repetition: kind(keys.repetitionKey, [id]),
  import: kind(keys.importKey, [id], 'imports'),
  user: kind(keys.userKey, [id], 'ofUser', 'withAssignments'),
  // Between group and task assignments: readers of assignments leave it out (`isAssignment`).
  tombstone: kind(keys.tombstoneKey, [id], 'ofUser', 'assignmentsOf', 'withAssignments'),
  word: kind(keys.wordKey, [id, fc.nat(31)], 'ofUser'),
  attributeValue: kind(keys.attributeValueKey, [id, id], 'ofUser'),
  groupAssignment: kind(
    keys.groupAssignmentKey,
    [id, id, id],
    ...['ofUser', 'assignmentsOf', 'withAssignments', 'rolesOfUser', 'groupRolesOfUser'],
  ),
  channelAssignment: kind(
    keys.channelAssignmentKey,
    [id, id, id],
    ...['ofUser', 'assignmentsOf', 'withAssignments', 'rolesOfUser'],
  ),
  taskAssignment: kind(keys.taskAssignmentKey, [id, id], 'ofUser', 'assignmentsOf', 'withAssignments'),
  username: kind(keys.usernameKey, [free.map((text) => text.toLowerCase())]),
  externalId: kind(keys.externalIdKey, [free]),
  userCount: kind(keys.userCountKey, [shard], 'userCounts', 'countsAndOverdue'),
  adminCount: kind(() => keys.adminCountKey, [], 'adminCount'),
  purge: kind(keys.purgeKey, [moment, id], 'leaving'),
  group: kind(keys.groupKey, [id]),
  groupCount: kind(keys.groupCountKey, [id, shard], 'groupCounts'),
  groupTree: kind(keys.groupTreeKey, [id], 'groupTree'),
  groupChannel: kind(keys.groupChannelKey, [id, id], 'channelsOfGroup'),
  groupExternalId: kind(keys.groupExternalIdKey, [free]),
  treeVersion: kind(() => keys.treeVersionKey, []),
  role: kind(keys.roleKey, [id], 'ofRole'),
  roleExternalId: kind(keys.roleExternalIdKey, [free]),
  roleUse: kind(keys.roleUseKey, [id, shard], 'ofRole'),
  channel: kind(keys.channelKey, [id], 'wholeChannel'),
  channelCount: kind(keys.channelCountKey, [id, id], 'wholeChannel'),
  channelGroup: kind(keys.channelGroupKey, [id, id], 'wholeChannel'),
  attribute: kind(keys.attributeKey, [id]),
  definitionPlace: kind(keys.definitionPlaceKey, [fc.nat(49)], 'definitionPlaces'),
  task: kind(keys.taskKey, [id], 'ofTask'),
  taskProgress: kind(keys.taskProgressKey, [id, shard], 'ofTask'),
  taskTombstone: kind(keys.taskTombstoneKey, [id], 'ofTask'),
  taskExternalId: kind(keys.taskExternalIdKey, [id, free]),
  work: kind((work: string, of: string) => keys.workKey(work, of), [id, id], 'allWork'),
  event: kind((record: string, at: string) => keys.eventKey({ kind: 'role', id: record }, at), [id, id], 'eventsAmong'),
}
const ranges: Record<string, (record: string) => Range> = {
  ...{ ofUser: keys.ofUser, assignmentsOf: keys.assignmentsOf, withAssignments: keys.withAssignments },
  ...{ rolesOfUser: keys.rolesOfUser, groupRolesOfUser: keys.groupRolesOfUser },
  ...{ groupCounts: keys.groupCounts, channelsOfGroup: keys.channelsOfGroup, wholeChannel: keys.wholeChannel },
  ...{
    ofRole: keys.ofRole,
    ofTask: keys.ofTask,
    eventsAmong: (record) => keys.eventsAmong({ kind: 'role', id: record }),
  },
  ...{ userCounts: () => keys.userCounts, adminCount: () => keys.adminCount, leaving: () => keys.leaving },
  // Nothing is overdue at the beginning of time.
  countsAndOverdue: () => keys.countsAndOverdue('0000'),
  ...{ groupTree: () => keys.groupTree, definitionPlaces: () => keys.definitionPlaces },
  ...{ imports: () => keys.imports, allWork: () => keys.allWork },
}

const one = fc
  .constantFrom(...Object.keys(kinds))
  .chain((name) => fc.tuple(fc.constant(name), fc.tuple(...(kinds[name]?.parts ?? []))))
const keyOf = ([name, parts]: [string, (string | number)[]]): Key => (kinds[name] as Kind).key(...parts)

const holds = ({ hash, from, to, beginsWith }: Range, { pk, sk }: Key): boolean =>
  pk === hash &&
  (beginsWith === undefined || sk.startsWith(beginsWith)) &&
  (from === undefined || compareBytes(sk, from) >= 0) &&
  (to === undefined || compareBytes(sk, to) <= 0)

describe('the keys of the table', () => {
  it('are different for different items', () => {
    fc.assert(
      fc.property(one, one, (a, b) => {
        const [x, y] = [keyOf(a), keyOf(b)]
        expect(x.pk === y.pk && x.sk === y.sk).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
      { numRuns: 3000 },
    )
  })

  it('are in the ranges of their kind and record, and in no others', () => {
    for (const name of Object.keys(kinds))
      fc.assert(
        fc.property(fc.tuple(...(kinds[name]?.parts ?? [])), id, (parts, other) => {
          const key = keyOf([name, parts])
          const found = (record: string) =>
            Object.keys(ranges).filter((range) => ranges[range] && holds(ranges[range](record), key))
          const ofAll = Object.keys(ranges).filter((range) => ranges[range]?.length === 0)
          const expected = kinds[name]?.ranges ?? []
          const [record = other] = parts
          expect(found(String(record)).sort(), name).toEqual(expected.toSorted())
          if (record !== other)
            expect(found(other).sort(), name).toEqual(expected.filter((range) => ofAll.includes(range)).sort())
        }),
        { numRuns: 20 },
      )
  })

  it('are short enough for DynamoDB, with the longest texts', () => {
    const longest = (arbitrary: fc.Arbitrary<string | number>) =>
      arbitrary === free ? '字'.repeat(255) : 'i'.repeat(64)
    for (const [name, { parts }] of Object.entries(kinds)) {
      const { pk, sk } = keyOf([name, parts.map((part) => (part === shard ? 9 : longest(part)))])
      expect([Buffer.byteLength(pk) <= 2048, Buffer.byteLength(sk) <= 1024], name).toEqual([true, true])
    }
  })

  it('of users to remove are in the order of deadlines; those until now are overdue', () => {
    fc.assert(
      fc.property(moment, moment, id, (deadline, now, user) => {
        const key = keys.purgeKey(deadline, user)
        expect(holds(keys.overdue(now), key)).toBe(deadline <= now)
        expect(holds(keys.countsAndOverdue(now), key)).toBe(deadline <= now)
      }),
    )
  })
})

it('lists and counts have different names', () => {
  const names = [
    ...[keys.ownTaskList('u', true), keys.ownTaskList('u', false), keys.authoredList('u'), keys.recipientList('u')],
    ...[keys.roleCount('u'), keys.useCount('u'), keys.editionMark('u'), keys.goneRecipientList('u')],
  ]
  expect(new Set(names).size).toBe(names.length)
  expect(keys.recipientsOf('t')).toEqual({ index: 'find', hash: keys.recipientList('t') })
  expect(keys.eventsBy('u')).toEqual({ index: 'find', hash: 'ACTOR#u' })
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

it('events of a day are in eight lists, each in one of them', () => {
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
