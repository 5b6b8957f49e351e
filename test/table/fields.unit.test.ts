import { describe, expect, it } from 'vitest'
import { recordTag } from '../../domain/request/etags.ts'
import { mergePatch } from '../../domain/request/patch.ts'
import { readCatalogue } from '../../domain/table/catalogues.ts'
import { createRecord, itemOf, removeRecord, replaceRecord } from '../../domain/table/changes.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../domain/table/fields.ts'
import { defineRecord } from '../../domain/table/records.ts'
import type { Action, Item } from '../../domain/table/store.ts'
import { actionText } from './written.ts'

/** A kind of records to which three releases have added something. */
const badgeFields = declareFields({
  id: { type: a<string>() },
  name: { type: a<string>(), set: 'ALWAYS' },
  series: { type: a<string>(), set: 'ONCE' },
  colour: { type: a<string | null>(), set: 'ALWAYS', default: null },
  sides: { type: a<number | null>(), set: 'ALWAYS', initial: 4, forNull: null },
  tags: { type: a<string[]>(), set: 'ALWAYS', default: [], later: true },
  valid: { type: a<boolean>(), set: 'ALWAYS', default: true, later: true },
  print: {
    type: a<{ front: boolean; back: boolean }>(),
    set: 'ALWAYS',
    default: { front: true, back: true },
    later: ['back'],
  },
  ended_at: { type: a<string>(), optional: true },
  printed_by: { type: a<string | null>(), initial: null, hidden: ['ANSWERS', 'EVENTS'] },
  secret: { type: a<string>(), hidden: everywhere },
})
type Badge = RecordOf<typeof badgeFields>

const badges = defineRecord<Badge>({
  key: (id) => ({ pk: `BADGE#${id}`, sk: 'BADGE' }),
  fields: badgeFields,
  idOf: ({ id }) => [id],
  catalogue: 'ROLES',
  events: { kind: 'role' },
})

/** As the first release has stored it. */
const data = {
  id: 'b',
  name: 'Blue',
  series: 'S',
  colour: null,
  sides: 4,
  print: { front: false },
  printed_by: 'ann',
  secret: 's',
}
const stored: Item = { ...badges.key('b'), data, event: 'e' }
const read = () => badges.of(stored) as Badge
/** The fields alone, without the place of the last event. */
const plain = (record: Badge | undefined) => Object.fromEntries(Object.entries(record ?? {}))
const changesOf = (action: Action) => action.event?.changes

describe('a record', () => {
  it('is made of what a caller sends, what the service sets, and defaults', () => {
    const made = { id: 'b', secret: 's' }
    const least = {
      tags: [],
      valid: true,
      print: { front: true, back: true },
      colour: null,
      sides: 4,
      printed_by: null,
    }
    const { create } = badgeFields
    expect(create({ name: 'N', series: 'S' }, made)).toStrictEqual({ ...least, ...made, name: 'N', series: 'S' })
    const nulls = { name: 'N', series: 'S', colour: null, sides: null, tags: null, valid: null, print: null }
    expect(create(nulls, made)).toStrictEqual({ ...least, ...made, name: 'N', series: 'S' })
    const whole = { name: 'N', series: 'S', colour: '', sides: 0, tags: ['t'], valid: false }
    expect(create(whole, { ...made, ended_at: 'now' })).toStrictEqual({ ...least, ...made, ...whole, ended_at: 'now' })
    // What only the service sets is not taken from a body.
    const sly = { name: 'N', series: 'S', id: 'c', printed_by: 'me', secret: 'mine', other: 1 }
    expect(create(sly, made)).toStrictEqual({ ...least, ...made, name: 'N', series: 'S' })
    expect(Object.keys(create({ name: 'N', series: 'S' }, made))).toEqual(
      'id name series colour sides tags valid print printed_by secret'.split(' '),
    )
  })

  it('is patched in the fields that callers may change, with what null sets', () => {
    const patch = (body: object) => plain(mergePatch(read(), body, badgeFields.valueForNull))
    const before = plain(read())
    expect(patch({ id: 'c', series: 'T', printed_by: null, secret: 'x', ended_at: 'y' })).toEqual(before)
    expect(patch({ name: 'N', tags: ['t'] })).toEqual({ ...before, name: 'N', tags: ['t'] })
    expect(patch({ tags: null, colour: null, valid: null })).toEqual(before)
    expect(patch({ sides: null })).toEqual({ ...before, sides: null })
    expect(patch({ print: { back: false } })).toEqual({ ...before, print: { front: false, back: false } })
    expect(patch({ print: { front: null } })).toEqual({ ...before, print: { front: true, back: true } })
  })

  it('shows in answers what it may, in the order of the declaration', () => {
    const shown = badgeFields.shown({ ...read(), ended_at: 'y', other: 1 } as Badge)
    expect(Object.keys(shown)).toEqual('id name series colour sides tags valid print ended_at'.split(' '))
    expect(badgeFields.shown(read())).not.toHaveProperty('ended_at')
  })
})

describe('a record of an earlier release', () => {
  it('has the defaults of fields that it lacks', () => {
    expect(plain(read())).toEqual({ ...data, tags: [], valid: true, print: { front: false, back: true } })
    const newer = { ...data, tags: ['t'], valid: false, print: { front: true, back: false } }
    expect(plain(badges.of({ ...stored, data: newer }))).toEqual(newer)
  })

  it('has the same out of its catalogue', async () => {
    const query = async () => ({ items: [itemOf(badges, read())], count: 1 })
    expect(await readCatalogue({ query }, badges)).toEqual([plain(read())])
  })

  it('keeps its tag, until a later field has another value', () => {
    const { secret: _, ...own } = data
    expect(recordTag(badgeFields.own(read()))).toBe(recordTag(own))
    expect(badgeFields.own({ ...read(), valid: false })).toEqual({ ...own, valid: false })
    expect(badgeFields.own({ ...read(), print: { front: true, back: false } })).toEqual({
      ...own,
      print: { front: true, back: false },
    })
  })

  it('is stored as it was, and compared with what is stored', () => {
    const after = { ...read(), name: 'N' }
    expect(itemOf(badges, read())).toMatchObject({ data, hint: JSON.stringify(data) })
    expect(replaceRecord(badges, read(), after).put.data).toStrictEqual({ ...data, name: 'N' })
    expect(actionText(removeRecord(badges, read())).at(-1)).toContain(JSON.stringify(data))
    const changed = replaceRecord(badges, read(), { ...read(), tags: ['t'] }).put.data as object
    expect(changed).toStrictEqual({ ...data, tags: ['t'] })
    const back = badges.of({ ...stored, data: changed }) as Badge
    expect(replaceRecord(badges, back, { ...back, tags: [] }).put.data).toStrictEqual(data)
  })

  it('has events without the defaults, and without hidden fields', () => {
    const created = ['colour', 'name', 'print', 'series', 'sides'].map((name) => [
      name,
      null,
      data[name as keyof typeof data],
    ])
    expect(changesOf(createRecord(badges, read()))).toEqual(created.filter(([, , value]) => value !== null))
    expect(changesOf(replaceRecord(badges, read(), { ...read(), tags: ['t'], secret: 'x' }))).toEqual([
      ['tags', null, ['t']],
    ])
    expect(changesOf(replaceRecord(badges, read(), { ...read(), print: { front: false, back: false } }))).toEqual([
      ['print', { front: false }, { front: false, back: false }],
    ])
    expect(changesOf(replaceRecord(badges, read(), { ...read(), secret: 'x', printed_by: null }))).toBeUndefined()
  })
})
