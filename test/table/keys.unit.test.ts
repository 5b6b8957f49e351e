import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Key, Range } from '../../domain/table/store.ts'
import { notesWork } from '../../domain/table/transact.ts'
import { workEntry } from '../../domain/table/work.ts'

/** Texts that look like parts of keys, too: ids of legal characters, and free texts for names from elsewhere. */
const id = fc.string({ unit: fc.constantFrom(...'abUSER-_.09'), minLength: 1, maxLength: 6 })
const free = fc.string({ unit: fc.constantFrom(...'a#~ USER\u0001ä'), minLength: 1, maxLength: 6 })
const number = fc.nat(63)
const moment = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** A kind of key: one example of it, and the ranges that hold it, of the record with the same first id or of all records. */
type Kind = {
  key: (...parts: (string | number)[]) => Key
  parts: fc.Arbitrary<string | number>[]
  example: string
  ranges: string[]
}
const kind = <P extends (string | number)[]>(
  key: (...parts: P) => Key,
  parts: { [N in keyof P]: fc.Arbitrary<P[N]> },
  example: string,
  ...ranges: string[]
): Kind => ({ key: (...some) => key(...(some as unknown as P)), parts: [...parts], example, ranges })

const deliveryLists = ['NEW', 'AGAIN', 'DELIVERED', 'FAILED'] as const

/** All kinds of keys. In the examples a, b and c stand for texts, and 7 for a number. */
const kinds: Record<string, Kind> = {
  organisation: kind(() => keys.organisationKey, [], 'ORGANISATION ORGANISATION'),
  calendar: kind(() => keys.calendarKey, [], 'CALENDAR SETTINGS'),
  layout: kind(() => keys.layoutKey, [], 'LAYOUT LAYOUT'),
  check: kind(() => keys.checkKey, [], 'CHECK CHECK'),
  secret: kind(() => keys.cursorSecretKey, [], 'SECRETS CURSORS'),
  serviceToken: kind(keys.serviceTokenKey, [id], 'SERVICE_TOKENS a', 'allServiceTokens'),
  serviceTokenCount: kind(() => keys.serviceTokenCountKey, [], 'SERVICE_TOKENS COUNT', 'allServiceTokens'),
  tokenUse: kind(keys.tokenUseKey, [id], 'TOKEN_USES a', 'tokenUses'),
  repetition: kind(keys.repetitionKey, [id], 'KEY#a KEY'),
  import: kind(keys.importKey, [id], 'IMPORTS a', 'imports'),
  user: kind(keys.userKey, [id], 'USER#a USER', 'ofUser', 'withAssignments'),
  // Between group and task assignments: readers of assignments leave it out (`isAssignment`).
  tombstone: kind(keys.tombstoneKey, [id], 'USER#a GONE', 'ofUser', 'assignmentsOf', 'withAssignments'),
  word: kind(keys.wordKey, [id, number], 'USER#a W#07', 'ofUser'),
  attributeValue: kind(keys.attributeValueKey, [id, id], 'USER#a A#b', 'ofUser'),
  groupAssignment: kind(
    keys.groupAssignmentKey,
    [id, id, id],
    'USER#a GA#b#c',
    ...['ofUser', 'assignmentsOf', 'withAssignments', 'rolesOfUser', 'groupRolesOfUser'],
  ),
  channelAssignment: kind(
    keys.channelAssignmentKey,
    [id, id, id],
    'USER#a CA#b#c',
    ...['ofUser', 'assignmentsOf', 'withAssignments', 'rolesOfUser'],
  ),
  taskAssignment: kind(
    keys.taskAssignmentKey,
    [id, id],
    'USER#a TA#b',
    ...['ofUser', 'assignmentsOf', 'withAssignments'],
  ),
  username: kind(keys.usernameKey, [free.map((text) => text.toLowerCase())], 'USERNAME#a USERNAME'),
  externalId: kind(keys.externalIdKey, [free], 'EXTERNAL#a EXTERNAL'),
  userCount: kind(keys.userCountKey, [number], 'USERS N#07', 'userCounts', 'countsAndOverdue'),
  adminCount: kind(() => keys.adminCountKey, [], 'USERS ADMINS', 'adminCount'),
  purge: kind(keys.deadlineItemKey, [moment, id], 'USERS P#a#b', 'leaving', 'overdue'),
  group: kind(keys.groupKey, [id], 'GROUP#a GROUP'),
  groupCount: kind(keys.groupCountKey, [id, number], 'GROUP#a N#07', 'groupCounts'),
  groupTree: kind(keys.groupTreeKey, [id], 'GROUPS a', 'groupTree'),
  groupChannel: kind(keys.groupChannelKey, [id, id], 'GROUP#a C#b', 'channelsOfGroup'),
  groupExternalId: kind(keys.groupExternalIdKey, [free], 'GROUP_EXTERNAL#a EXTERNAL'),
  treeVersion: kind(() => keys.treeVersionKey, [], 'GROUP_TREE VERSION'),
  role: kind(keys.roleKey, [id], 'ROLE#a ROLE', 'ofRole'),
  roleExternalId: kind(keys.roleExternalIdKey, [free], 'ROLE_EXTERNAL#a EXTERNAL'),
  roleUse: kind(keys.roleUseKey, [id, number], 'ROLE#a N#07', 'ofRole'),
  ruleEdition: kind(() => keys.ruleEditionKey, [], 'RULES EDITION', 'wholeRules'),
  rule: kind(keys.ruleKey, [id], 'RULES RULE#a', 'wholeRules'),
  channel: kind(keys.channelKey, [id], 'CHANNEL#a CHANNEL', 'wholeChannel'),
  channelCount: kind(keys.channelCountKey, [id, id], 'CHANNEL#a N#b', 'wholeChannel'),
  channelGroup: kind(keys.channelGroupKey, [id, id], 'CHANNEL#a G#b', 'wholeChannel'),
  attribute: kind(keys.attributeKey, [id], 'ATTRIBUTE#a ATTRIBUTE'),
  definitionPlace: kind(keys.definitionSlotKey, [number], 'ATTRIBUTES 07', 'definitionSlots'),
  task: kind(keys.taskKey, [id], 'TASK#a TASK', 'ofTask'),
  taskProgress: kind(keys.taskProgressKey, [id, number], 'TASK#a P#07', 'ofTask'),
  taskTombstone: kind(keys.taskTombstoneKey, [id], 'TASK#a GONE', 'ofTask'),
  taskExternalId: kind(keys.taskExternalIdKey, [id, free], 'TASK_EXTERNAL#a#b EXTERNAL'),
  work: kind((work: string, of: string) => keys.workKey(work, of), [id, id], 'WORK a#b', 'allWork'),
  workInTurn: kind(
    (work: string, of: string, part: string) => keys.workKey(work, of, part),
    [id, id, id],
    'WORK a#b#c',
    'allWork',
  ),
  event: kind(
    (record: string, at: string) => keys.eventKey({ kind: 'role', id: record }, at),
    [id, id],
    'EVENTS#role#a b',
    'eventsAmong',
  ),
  outbox: kind((one: string) => keys.outboxKey(one, one), [id], 'OUTBOX#01 a'),
  outboxLease: kind(() => keys.outboxLeaseKey, [], 'OUTBOX LEASE'),
  webhookCounts: kind(() => keys.webhookCountsKey, [], 'WEBHOOKS COUNTS'),
  webhook: kind(keys.webhookKey, [id], 'WEBHOOKS W#a', 'allWebhooks'),
  webhookHealth: kind(keys.webhookHealthKey, [id], 'WEBHOOKS H#a'),
  replay: kind(keys.replayKey, [id], 'WEBHOOKS R#a'),
  goneWebhook: kind(keys.goneWebhookKey, [id], 'WEBHOOKS GONE#a', 'goneWebhooks'),
  ...Object.fromEntries(
    deliveryLists.map((list) => [
      list,
      kind(
        (webhook: string, one: string) => keys.deliveryKey(webhook, list, one),
        [id, id],
        `WEBHOOK#a ${list}#b`,
        ...['allDeliveries', list],
      ),
    ]),
  ),
  due: kind(keys.dueKey, [id, moment, id], 'WEBHOOK#a DUE#b#c', 'allDeliveries', 'dueDeliveries'),
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
  ...{
    userCounts: () => keys.userCountRange,
    adminCount: () => keys.adminCountRange,
    leaving: () => keys.allDeadlineItems,
  },
  // Nothing is overdue at the beginning of time, and everything at its end.
  ...{ countsAndOverdue: () => keys.countsAndOverdueItems('0000'), overdue: () => keys.overdueDeadlineItems('9999') },
  ...{ groupTree: () => keys.groupTree, definitionSlots: () => keys.definitionSlots },
  ...{ imports: () => keys.imports, allWork: () => keys.allWork, wholeRules: () => keys.wholeRules },
  ...{ allServiceTokens: () => keys.allServiceTokens, tokenUses: () => keys.tokenUses },
  ...{ allWebhooks: () => keys.allWebhooks, goneWebhooks: () => keys.goneWebhooks },
  ...{ allDeliveries: keys.allDeliveries, dueDeliveries: (webhook) => keys.dueDeliveries(webhook) },
  ...Object.fromEntries(deliveryLists.map((list) => [list, (webhook: string) => keys.deliveriesIn(webhook, list)])),
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
  // What is stored has these keys: another key needs a migration.
  it.each(Object.entries(kinds))('are as stored items have them: %s', (_name, { key, parts, example }) => {
    const { pk, sk } = key(...parts.map((part, n) => (part === number ? 7 : 'abc'.charAt(n))))
    expect(`${pk} ${sk}`).toBe(example)
  })

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
      const { pk, sk } = keyOf([name, parts.map((part) => (part === number ? 9 : longest(part)))])
      expect([Buffer.byteLength(pk) <= 2048, Buffer.byteLength(sk) <= 1024], name).toEqual([true, true])
    }
  })

  it('of users to remove are in the order of deadlines; those until now are overdue', () => {
    fc.assert(
      fc.property(moment, moment, id, (deadline, now, user) => {
        const key = keys.deadlineItemKey(deadline, user)
        expect(holds(keys.overdueDeadlineItems(now), key)).toBe(deadline <= now)
        expect(holds(keys.countsAndOverdueItems(now), key)).toBe(deadline <= now)
      }),
    )
  })
})

describe('the ranges of the table', () => {
  const names = Object.keys(ranges)
  const rangeOf = (name: string): Range => (ranges[name] as (record: string) => Range)('a')

  it('are read as they are now; some may lag a moment, at half the price', () => {
    const lagging = names.filter((name) => !rangeOf(name).consistent)
    const counts = ['userCounts', 'adminCount', 'leaving', 'countsAndOverdue', 'overdue', 'groupCounts']
    expect(lagging.sort()).toEqual([...counts, 'groupTree', 'eventsAmong'].sort())
    expect(keys.outbox.every(({ consistent }) => consistent)).toBe(true)
  })

  it('are of the table, in ascending order; only a user is read before their assignments', () => {
    expect(names.map((name) => rangeOf(name).index).filter((index) => index !== undefined)).toEqual([])
    expect(names.filter((name) => rangeOf(name).descending)).toEqual(['withAssignments'])
    expect(keys.withAssignments('a').to).toBe(keys.userKey('a').sk)
    expect(compareBytes(keys.ruleEditionKey.sk, keys.ruleKey('').sk)).toBeLessThan(0)
  })
})

// Stored items have these names in their lists and counters: another name needs a migration.
it('lists and counts have the names that stored items have, each another one', () => {
  const names = {
    'USERS#a#b': keys.userList('a', 'b'),
    'GROUP#a#b': keys.groupList('a', 'b'),
    'CHANNEL#a#b': keys.channelList('a', 'b'),
    'MINE#a#AUTHORED': keys.ownTaskList('a', true),
    'MINE#a#GIVEN': keys.ownTaskList('a', false),
    'TASKS#a': keys.authoredList('a'),
    'TASK#a': keys.recipientList('a'),
    'GONE#a': keys.goneRecipientList('a'),
    'A#1#a#b': keys.attributeIndexKeys('a', 'b', 'i').list,
    'W#a': keys.wordIndexKeys('ab', 'i').find,
    'W#': keys.manyWordsIndexKeys('i').find,
    'role:a': keys.roleCount('a'),
    'a:a': keys.useCount('a'),
    'e:a': keys.requiredEdition('a'),
    rules: keys.REQUIRED_RULES_EDITION,
  }
  expect(Object.values(names)).toEqual(Object.keys(names))
  expect(keys.recipientsOf('t')).toEqual({ index: 'find', hash: keys.recipientList('t') })
  expect([keys.recipientList('t'), keys.goneRecipientList('t')].map(keys.taskOfRecipientList)).toEqual(['t', 't'])
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
    const entry = keys.deadlineItemKey('2026', 'u')
    expect([keys.momentOfDeadlineItem(entry), keys.userOfDeadlineItem(entry)]).toEqual(['2026', 'u'])
    expect([entry, keys.userCountKey(0), keys.adminCountKey].map(keys.isDeadlineItem)).toEqual([true, false, false])
    expect([keys.countedRole('role:r'), keys.countedRole('closed'), keys.countedRole('a role:')]).toEqual([
      'r',
      undefined,
      undefined,
    ])
    expect([
      keys.nameOfRequiredEdition('e:a'),
      keys.nameOfRequiredEdition('a:a'),
      keys.nameOfRequiredEdition('ae:'),
    ]).toEqual(['a', undefined, undefined])
  })

  it('of an event: whose it is, and its time', () => {
    const place = keys.eventSortKey('2026-11-21T09:00:00.000Z', 'e')
    expect([keys.timeOfSortKey(place), keys.idOfEvent(place)]).toEqual(['2026-11-21T09:00:00.000Z', 'e'])
    const records = ['user', 'users', 'role'].map((kind) => keys.eventKey({ kind, id: 'u' }, place))
    expect(records.map(keys.userOfEvent)).toEqual(['u', undefined, undefined])
    expect(keys.joinedId('u', 'g', 'r')).toBe('u~g~r')
  })

  it('of a reservation: whether it is of a username', () => {
    expect([keys.usernameKey('a'), keys.externalIdKey('a')].map(keys.isUsernameKey)).toEqual([true, false])
  })

  it('of work: its id and part, and what is done in turn with it', () => {
    const entries = [keys.workKey('kind', 'id'), keys.workKey('kind', 'id', 'part'), { pk: 'WORK', sk: 'kind' }]
    expect(entries.map(keys.idOfWork)).toEqual(['id', 'id', ''])
    expect(entries.map(keys.suffixOfWork)).toEqual(['', 'part', ''])
    expect(entries.map(keys.queueOf)).toEqual(['kind#id', 'kind#id', 'kind'])
    expect(keys.workBeginningWith('kind#')).toEqual({ hash: 'WORK', consistent: true, beginsWith: 'kind#' })
  })

  it('of a delivery: its list and its id', () => {
    for (const list of deliveryLists) {
      const key = keys.deliveryKey('w', list, 'd')
      expect([keys.listOfDelivery(key), keys.idOfDelivery(key)]).toEqual([list, 'd'])
    }
    expect(keys.idOfDelivery(keys.dueKey('w', '2026-11-21T09:00:00.000Z', 'd'))).toBe('d')
    expect(keys.idOfGoneWebhook(keys.goneWebhookKey('w'))).toBe('w')
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
  const places = Array.from({ length: 8 }, (_, n) => keys.eventSortKey('2026-11-21T09:00:00.000Z', String(n)))
  expect(new Set(places.map((place) => keys.eventIndexKeys(place, null).list))).toEqual(new Set(lists))
  const [place = ''] = places
  expect(keys.eventIndexKeys(place, null)).toEqual({ list: expect.any(String), by_created_at: place })
  expect(keys.eventIndexKeys(place, 'u')).toMatchObject({ by_created_at: place, find: 'ACTOR#u', found: place })
})

describe('the outbox', () => {
  const shards = Array.from({ length: 16 }, (_, n) => `OUTBOX#${String(n).padStart(2, '0')}`)

  it('has sixteen shards, which are all read', () => {
    expect(keys.outbox.map(({ hash }) => hash)).toEqual(shards)
    const texts = Array.from({ length: 16 }, (_, n) => `EVENTS#user#${String.fromCharCode(97 + n)}`)
    expect(new Set(texts.map((text) => keys.outboxKey(text, 'i').pk))).toEqual(new Set(shards))
  })

  it('has the shard of an entry among them, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), id, (text, one) => {
        const { pk, sk } = keys.outboxKey(text, one)
        expect(shards).toContain(pk)
        expect(sk).toBe(one)
      }),
    )
  })
})

describe('deliveries of a webhook', () => {
  const event = fc.tuple(moment, id).map(([time, one]) => keys.eventSortKey(time, one))

  it('are named after the time and the id of their event, and sort by this time', () => {
    expect(keys.deliveryOf(keys.eventSortKey('2026-11-21T09:08:07.006Z', 'e'))).toBe('20261121T090807006Z-e')
    fc.assert(
      fc.property(event, event, (one, other) => {
        const [time, later] = [one, other].map(keys.timeOfSortKey) as [string, string]
        const order = Math.sign(compareBytes(keys.deliveryOf(one), keys.deliveryOf(other)))
        if (time !== later) expect(order).toBe(Math.sign(compareBytes(time, later)))
      }),
    )
  })

  it('of a list end before a given one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...deliveryLists), event, event, (list, one, other) => {
        const [delivery, before] = [keys.deliveryOf(one), keys.deliveryOf(other)]
        const isBefore = compareBytes(delivery, before) < 0
        expect(holds(keys.deliveriesIn('w', list, before), keys.deliveryKey('w', list, delivery))).toBe(isBefore)
      }),
    )
    expect(keys.deliveriesIn('w', 'NEW', 'b')).toMatchObject({ hash: 'WEBHOOK#w', consistent: true })
  })

  it('are due in the order of moments; those until now are due', () => {
    fc.assert(
      fc.property(moment, moment, id, (at, now, delivery) => {
        expect(holds(keys.dueDeliveries('w', now), keys.dueKey('w', at, delivery))).toBe(at <= now)
      }),
    )
  })
})

it('assignments in sort keys sort by task, then by user', () => {
  fc.assert(
    fc.property(id, id, id, id, (task, user, task2, user2) => {
      const order = compareBytes(keys.assignmentIdInSortKey(task, user), keys.assignmentIdInSortKey(task2, user2))
      expect(Math.sign(order)).toBe(Math.sign(compareBytes(task, task2) || compareBytes(user, user2)))
    }),
  )
})

it('the place of a row is what its index is sorted by', () => {
  const row = { pk: 'p', sk: 's', found: 'in find', by_id: 'in by_id' }
  expect([keys.sortKeyIn(row, 'find'), keys.sortKeyIn(row, 'by_id')]).toEqual(['in find', 'in by_id'])
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
