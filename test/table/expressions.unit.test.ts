import { describe, expect, it } from 'vitest'
import {
  absent,
  atLeast,
  atMost,
  type Condition,
  either,
  every,
  exists,
  expressionsOf,
  has,
  is,
  lacks,
  later,
  type Update,
} from '../../domain/table/expressions.ts'
import { written } from './written.ts'

describe('a condition', () => {
  it.each<[() => Condition, string]>([
    [() => absent, 'attribute_not_exists(pk)'],
    [() => exists, 'attribute_exists(pk)'],
    [() => has('list'), 'attribute_exists(list)'],
    [() => lacks('closed'), 'attribute_not_exists(closed)'],
    [() => is({ source: 'MANUAL' }), 'source = "MANUAL"'],
    [() => is({ 'data/version': 3 }), 'data.version = 3'],
    [() => is({ 'role:a.b': 1 }), 'role:a.b = 1'],
    [() => is({ left: 2, due: undefined }), '(left = 2) AND (attribute_not_exists(due))'],
    [() => atLeast('count', 2), 'count >= 2'],
    [() => atMost('until', 'noon'), 'until <= "noon"'],
    [() => later('until', 'noon'), 'until > "noon"'],
    [() => either(absent, is({ owner: 'ann' })), '(attribute_not_exists(pk)) OR (owner = "ann")'],
    [
      () => every(has('data'), either(lacks('a'), lacks('b'))),
      '(attribute_exists(data)) AND ((attribute_not_exists(a)) OR (attribute_not_exists(b)))',
    ],
    [() => every(is({}), has('data')), 'attribute_exists(data)'],
  ])('%# reads as it should', (condition, text) => {
    expect(written(condition())[0]).toBe(text)
  })

  it('of nothing is none', () => {
    expect(expressionsOf(every(), {})).toEqual({})
    expect(expressionsOf(undefined, undefined)).toEqual({})
  })
})

describe('a change', () => {
  it.each<[Update, string]>([
    [{ set: { archived: true } }, 'SET archived = true'],
    [{ setOnce: { due: 'noon' } }, 'SET due = if_not_exists(due, "noon")'],
    [{ add: { count: -1, 'role:a.b': 1 } }, 'ADD count -1, role:a.b 1'],
    [{ clear: ['gone', 'list'] }, 'REMOVE gone, list'],
    [
      { set: { 'data/version': 2 }, add: { count: 1 }, clear: ['gone'] },
      'SET data.version = 2 ADD count 1 REMOVE gone',
    ],
  ])('%# reads as it should', (change, text) => {
    expect(written(undefined, change)[1]).toBe(text)
  })

  it('shares its names with the condition, and the text has no name and no value', () => {
    expect(expressionsOf(is({ count: 1 }), { set: { count: 2 } })).toEqual({
      ConditionExpression: '#n0 = :v0',
      UpdateExpression: 'SET #n0 = :v1',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: { '#n0': 'count' },
      ExpressionAttributeValues: { ':v0': 1, ':v1': 2 },
    })
  })
})

describe('what DynamoDB is sent', () => {
  const condition = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
  it('says each name once, and each text', () => {
    expect(expressionsOf(is({ 'data/a': 'x', 'data/b': 'x', a: 'y' }), undefined)).toEqual({
      ...condition,
      ConditionExpression: '(#n0.#n1 = :v0) AND (#n0.#n2 = :v0) AND (#n1 = :v1)',
      ExpressionAttributeNames: { '#n0': 'data', '#n1': 'a', '#n2': 'b' },
      ExpressionAttributeValues: { ':v0': 'x', ':v1': 'y' },
    })
    expect(expressionsOf(undefined, { set: { a: 1, b: 1 }, add: { c: 1 } })).toEqual({
      UpdateExpression: 'SET #n0 = :v0, #n1 = :v1 ADD #n2 :v2',
      ExpressionAttributeNames: { '#n0': 'a', '#n1': 'b', '#n2': 'c' },
      ExpressionAttributeValues: { ':v0': 1, ':v1': 1, ':v2': 1 },
    })
  })

  it('says each condition once', () => {
    const once = {
      ...condition,
      ConditionExpression: 'attribute_exists(#n0)',
      ExpressionAttributeNames: { '#n0': 'pk' },
    }
    expect(expressionsOf(every(exists, exists), undefined)).toEqual(once)
    expect(expressionsOf(either(every(exists), every(), exists), {})).toEqual(once)
  })

  it('has no part for what is not said', () => {
    const said = (one: object) => Object.keys(one).sort()
    expect(said(expressionsOf(exists, {}))).toEqual([
      'ConditionExpression',
      'ExpressionAttributeNames',
      'ReturnValuesOnConditionCheckFailure',
    ])
    expect(said(expressionsOf(every(), { clear: ['a'] }))).toEqual(['ExpressionAttributeNames', 'UpdateExpression'])
    expect(said(expressionsOf(undefined, {}))).toEqual([])
    expect(said(expressionsOf(every(), undefined))).toEqual([])
  })
})
