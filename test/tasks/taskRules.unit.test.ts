import { describe, expect, it } from 'vitest'
import type { Context } from '../../domain/request/context.ts'
import { listTasks } from '../../domain/tasks/listTasks.ts'
import { type Task, taskItem } from '../../domain/tasks/task.ts'
import {
  checkedTask,
  codedFaults,
  dueDateFaults,
  dueDateFrom,
  patchedDueDate,
  requireFitting,
  settingsFaults,
  unknownDateFaults,
} from '../../domain/tasks/taskRules.ts'
import { memoryStore } from '../harness/memoryStore.ts'
import { codeOf, faultLines, refusal } from '../harness/refusal.ts'

const date = '2026-12-24'
const date_time = '2026-12-24T08:00:00+01:00'
const stored = '2026-12-24T07:00:00.000Z'
const invalidDay = 'due_at.date must be a date that the calendar has'
const invalidMoment = 'due_at.date_time must be a moment that the calendar has'

describe('a due date', () => {
  it.each<[Parameters<typeof dueDateFaults>[0], string[]]>([
    [{ due_at_type: 'DATE', date }, []],
    [{ due_at_type: 'DATE', date, date_time: null }, []],
    [{ due_at_type: 'DATE_TIME', date_time }, []],
    [{ due_at_type: 'DATE_TIME', date_time, date: null }, []],
    [{ due_at_type: 'DATE' }, ['due_at.date must be given']],
    [{ due_at_type: 'DATE_TIME', date_time: null }, ['due_at.date_time must be given']],
    [{ due_at_type: 'DATE', date, date_time }, ['due_at.date_time must not be given with DATE']],
    [
      { due_at_type: 'DATE_TIME', date: '2026-02-30' },
      ['due_at.date_time must be given', 'due_at.date must not be given with DATE_TIME', invalidDay],
    ],
    [{ due_at_type: 'DATE', date: '2026-02-30' }, [invalidDay]],
    [{ due_at_type: 'DATE_TIME', date_time: '2026-02-30T00:00:00Z' }, [invalidMoment]],
    [{ date: 'x', date_time: 'y' }, [invalidDay, invalidMoment]],
    [{}, []],
  ])('%j: %j', (given, expected) => {
    expect(faultLines(dueDateFaults(given))).toEqual(expected)
    const { due_at_type: _type, ...rest } = given
    expect(faultLines(unknownDateFaults(rest))).toEqual(
      expected.filter((fault) => fault === invalidDay || fault === invalidMoment),
    )
  })

  it.each<[Parameters<typeof dueDateFrom>[0], ReturnType<typeof dueDateFrom>]>([
    [
      { due_at_type: 'DATE', date },
      { due_at_type: 'DATE', date },
    ],
    [
      { due_at_type: 'DATE_TIME', date_time },
      { due_at_type: 'DATE_TIME', date_time: stored },
    ],
    [{ due_at_type: 'DATE_TIME', date_time: 'x' }, null],
    [{}, null],
    [null, null],
    [undefined, null],
  ])('%j is stored as %j', (given, expected) => {
    expect(dueDateFrom(given)).toEqual(expected)
  })

  const day = { due_at_type: 'DATE', date } as const
  const moment = { due_at_type: 'DATE_TIME', date_time: stored } as const
  it.each<[...Parameters<typeof patchedDueDate>, ReturnType<typeof patchedDueDate>['due_at'], string[]]>([
    [day, null, null, []],
    [day, {}, day, []],
    [day, { date: '2026-12-25' }, { due_at_type: 'DATE', date: '2026-12-25' }, []],
    [day, { due_at_type: 'DATE_TIME', date_time }, moment, []],
    [day, { due_at_type: 'DATE_TIME' }, null, ['due_at.date_time must be given']],
    [moment, { due_at_type: 'DATE', date }, day, []],
    [moment, {}, moment, []],
    [null, day, day, []],
    [null, { date }, null, ['due_at.due_at_type must be given']],
    [day, { date: null }, null, ['due_at.date must be given']],
  ])('%j patched by %j is %j', (before, patch, due_at, faults) => {
    const outcome = patchedDueDate(before, patch)
    expect([outcome.due_at, faultLines(outcome.faults)]).toEqual([due_at, faults])
  })
})

describe('a task', () => {
  const judge = (given: unknown) => {
    const { fault } = checkedTask(given)
    return fault && [fault.code, ...faultLines(fault.errors ?? [])]
  }
  const user = (n: number) => ({ id: `u-${n}`, type: 'USER' })
  const users = (count: number) => Array.from({ length: count }, (_, n) => user(n))
  const channel = { id: 'c', type: 'CHANNEL' }
  const delta = '{"ops":[{"insert":"x"}]}'

  it.each<[string, unknown, string[] | undefined]>([
    ['nothing', undefined, undefined],
    ['no record', [1], undefined],
    ['a text', 'task', undefined],
    ['a user', { recipients: [user(1)] }, undefined],
    ['a hundred users', { recipients: users(100) }, undefined],
    ['a hundred users, one of them twice', { recipients: [...users(100), user(5)] }, undefined],
    ['more', { recipients: users(101) }, ['VALIDATION_ERROR', 'recipients must have at most 100 users']],
    ['a channel', { recipients: [channel, channel] }, undefined],
    [
      'two channels',
      { recipients: [channel, { id: 'd', type: 'CHANNEL' }] },
      ['RECIPIENTS_CHANNEL_LIMIT_EXCEEDED', 'recipients must be one channel only'],
    ],
    [
      'a channel and a user of the same id',
      { recipients: [channel, { id: 'c', type: 'USER' }] },
      ['DIFFERENT_RECIPIENT_TYPES', 'recipients must be of one type'],
    ],
    [
      'what is no recipient',
      { recipients: [channel, { id: 1, type: 'USER' }, { id: 'x', type: 'GROUP' }, null] },
      undefined,
    ],
    ['no list of recipients', { recipients: 'u-1' }, undefined],
    [
      'a due date without its day',
      { due_at: { due_at_type: 'DATE' } },
      ['INVALID_DUE_DATE', 'due_at.date must be given'],
    ],
    [
      'a due date without its moment',
      { due_at: { due_at_type: 'DATE_TIME', date_time: 'x' } },
      ['INVALID_DUE_DATE', invalidMoment],
    ],
    ['a due date of no kind', { due_at: { due_at_type: 'WEEK', date: 'x' } }, undefined],
    ['a due date without a kind', { due_at: { due_at_type: null, date: 'x' } }, ['INVALID_DUE_DATE', invalidDay]],
    ['a due date that is no text', { due_at: { due_at_type: 'DATE', date: 5 } }, undefined],
    ['no due date', { due_at: null }, undefined],
    ['settings', { settings: { a: 1 } }, undefined],
    ['a bad body', { body: { delta: 'x' } }, ['VALIDATION_ERROR', 'body.delta must be a Quill delta as JSON']],
  ])('with %s: %j', (_what, given, expected) => {
    expect(judge(given)).toEqual(expected)
  })

  it('is checked by the given rule for due dates', () => {
    expect(checkedTask({ due_at: { due_at_type: 'DATE' } }, unknownDateFaults).fault).toBeUndefined()
  })

  it.each<[unknown, object]>([
    [{ plain: 'x' }, { plain: 'x' }],
    [{ content_format: 'PLAIN', contentPlain: 'x' }, { plain: 'x' }],
    [
      { content_format: 'HTML', contentHtml: 'x' },
      { html: 'x', plain: 'x' },
    ],
    [
      { content_format: 'DELTA', contentDelta: delta },
      { delta, plain: 'x' },
    ],
    [{ plain: 'x', content_format: null }, { plain: 'x' }],
    [{ plain: 5 }, {}],
    [{ html: 5, plain: 'x' }, {}],
    [{ content_format: 'OTHER', contentPlain: 'x', plain: 'x' }, {}],
    [null, {}],
    ['x', {}],
  ])('of the body %j has %j', (body, expected) => {
    expect(checkedTask({ body }).body).toMatchObject(expected)
    if (Object.keys(expected).length === 0) expect(checkedTask({ body }).body).not.toHaveProperty('plain', 'x')
  })

  const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) })
  const found = (settings: unknown, extent?: string) =>
    settingsFaults(settings, extent).map(({ code, fault }) => `${code} ${fault.property} ${fault.message}`)

  it('has settings that are not too deep and not too long', () => {
    expect(found(deep(30))).toEqual([])
    expect(found(deep(31))).toEqual(['VALIDATION_ERROR settings must not be nested deeper than 30 levels'])
    const long = (length: number) => ({ a: '😀'.repeat(length - '{"a":""}'.length) })
    expect(found(long(10_000))).toEqual([])
    const tooLong = 'VALIDATION_ERROR settings must have at most 10000 characters as JSON'
    expect(found(long(10_001))).toEqual([tooLong])
    expect(found(long(10_001), ', merged')).toEqual([`${tooLong}, merged`])
    for (const none of [null, undefined, 'x'.repeat(20_000), [deep(40)]]) expect(found(none)).toEqual([])
  })

  it('fits into the table', () => {
    const task = (body: object, settings: string | null = null) => ({ body, settings }) as Task
    const most = task(
      { plain: 'ä'.repeat(100_000), delta: 'd'.repeat(100_000), html: 'h'.repeat(100_000) },
      's'.repeat(4000),
    )
    expect(requireFitting(most)).toBe(most)
    expect(requireFitting(task({}))).toEqual(task({}))
    for (const form of ['plain', 'delta', 'html']) {
      const alone = (bytes: number) => task({ [form]: 'x'.repeat(bytes) })
      expect([404_000, 404_001].map((bytes) => codeOf(() => requireFitting(alone(bytes))))).toEqual([
        undefined,
        'VALIDATION_ERROR body',
      ])
    }
    const tooLarge = task(most.body, 's'.repeat(4001))
    expect(refusal(() => requireFitting(tooLarge))).toEqual({
      code: 'VALIDATION_ERROR',
      property: 'body',
      message: expect.stringMatching(/404000 bytes.*it takes 404001$/),
    })
  })

  it('has faults that stand for a code', () => {
    const fault = { property: 'p', message: 'm' }
    expect(codedFaults('VALIDATION_ERROR', [fault])).toEqual([{ code: 'VALIDATION_ERROR', fault }])
  })
})

it('a page of large tasks ends before an answer would be too long: settings count, and what is asked for of bodies', async () => {
  const task = (n: number, settings: string | null) => ({
    ...{ id: `t-${n}`, title: 'T', author_id: 'author', external_id: null, due_at: null, settings },
    ...{ body: { plain: '字'.repeat(n % 2 ? 30_000 : 1500) }, created_at: stored, updated_at: stored },
  })
  const sizes = async (settings: string | null, body_format?: 'HTML'[]) => {
    const items = Array.from({ length: 100 }, (_, n) => taskItem(task(n, settings), { count: 1, open: 0, finished: 0 }))
    const seals = () => ({ seal: async () => 'next', unseal: async () => undefined })
    const context = { ...memoryStore(items), now: stored, actorId: 'author', seals } as unknown as Context
    const { body } = await listTasks(context, { query: { page_limit: 100, ...(body_format ? { body_format } : {}) } })
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(6_000_000)
    expect(body.pagination.has_more).toBe(body.tasks.length < 100)
    return body.tasks.length
  }
  const settings = JSON.stringify({ x: '😀'.repeat(9900) })
  expect(await sizes(settings)).toBeLessThan(90)
  expect([await sizes(null), await sizes(settings, ['HTML'])]).toEqual([100, 100])
})
