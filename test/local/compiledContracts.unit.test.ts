import { expect, test } from 'vitest'
import { orderOf } from '../../local/build/compiledContract.ts'
import { contract as createTask } from '../../schemas/compiled/createTask.js'
import { contract as listTasks } from '../../schemas/compiled/listTasks.js'
import { contract as updateCalendarSettings } from '../../schemas/compiled/updateCalendarSettings.js'
import { contract as updateUsers } from '../../schemas/compiled/updateUsers.js'

test('a compiled contract holds what functions read, and no schema', () => {
  expect(createTask).toEqual({
    name: 'createTask',
    access: 'user',
    scopes: [],
    feature: { name: 'tasks', off: 'FEATURE_DISABLED' },
    body: {},
    trims: expect.arrayContaining(['title']),
    faultCodes: expect.arrayContaining([{ at: /^recipients$/, keyword: 'required', code: 'NO_RECIPIENTS' }]),
    versioned: true,
    repeatable: 'TASK_NOT_FOUND',
    order: { 201: expect.any(Function) },
  })
  expect(listTasks).toMatchObject({
    query: { properties: { page_limit: { type: 'integer' }, progress_status: { type: 'array' } } },
  })
})

test('it puts the properties of an answer in the order of its schema, at every depth', () => {
  const task = { body: { html: 'h', plain: 'p' }, unknown: { b: 1, a: 2 }, id: 't', title: null }
  expect(JSON.stringify(createTask.order?.[201]?.(task))).toBe(
    '{"id":"t","title":null,"body":{"plain":"p","html":"h"},"unknown":{"b":1,"a":2}}',
  )
  const page = { pagination: null, tasks: [{ title: 'a', id: 1 }] }
  expect(JSON.stringify(listTasks.order?.[200]?.(page))).toBe('{"tasks":[{"id":1,"title":"a"}],"pagination":null}')
})

test.each(['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'])('an answer with %s is refused', (keyword) => {
  const answer = { type: 'array', items: { properties: { id: {}, one: { [keyword]: [] } } } }
  expect(() => orderOf(answer as never)).toThrow(`not known with ${keyword}`)
})

test('of a patch it holds what may be an object, as empty ones change nothing', () => {
  expect(updateCalendarSettings).toMatchObject({
    body: { properties: { working_hours: { type: ['object', 'null'] } } },
  })
  expect(updateUsers).toMatchObject({
    item: { properties: { body: { properties: { tags: { type: ['array', 'null'] } } } } },
  })
})
