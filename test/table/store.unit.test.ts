import { expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { forProperty, keyOf, succeeded, systemCause } from '../../domain/table/actions.ts'
import { exists } from '../../domain/table/expressions.ts'
import { isAt, keyIn, textOfKey } from '../../domain/table/items.ts'
import { type Action, type Key, readEach } from '../../domain/table/store.ts'
import { actionText } from './written.ts'

const key = { pk: 'p', sk: 's' }

it('a key as one string tells its parts apart', () => {
  expect(textOfKey(key)).toBe('p\ns')
  expect(textOfKey({ pk: 'a b', sk: 'c' })).not.toBe(textOfKey({ pk: 'a', sk: 'b c' }))
})

it.each<[Action]>([[{ put: { ...key, n: 1 } }], [{ update: key, add: { n: 1 } }], [{ delete: key }], [{ check: key }]])(
  '%j is about its key alone',
  (action) => {
    expect(keyOf(action)).toEqual(key)
  },
)

it('an item lies at its key, and at no other', () => {
  const item = { ...key, n: 1 }
  expect(keyIn(item)).toEqual(key)
  expect([isAt(key)(item), isAt({ ...key, sk: 't' })(item), isAt({ ...key, pk: 'q' })(item)]).toEqual([
    true,
    false,
    false,
  ])
})

it('an action gets the property that its condition is about', () => {
  const action: Action = { delete: key, if: exists }
  expect(forProperty('email', action)).toEqual({ ...action, property: 'email' })
})

it('a write happened, did not, or failed', async () => {
  expect(await succeeded(Promise.resolve())).toBe(true)
  expect(await succeeded(Promise.reject(new StaleRead()))).toBe(false)
  await expect(succeeded(Promise.reject(new Error('else')))).rejects.toThrow('else')
})

it('conditions of an action are the ones that are given', () => {
  expect(actionText({ delete: key, if: exists, otherwise: { code: 'ROLE_NOT_FOUND' } })).toEqual([
    'delete p s',
    'if attribute_exists(pk)',
    { code: 'ROLE_NOT_FOUND' },
  ])
})

it('what nobody has caused has no actor, and a request only where there is one', () => {
  expect(systemCause('purge')).toEqual({ actor: null, request: null, operation: 'purge' })
  expect(systemCause('purge', 'r')).toEqual({ actor: null, request: 'r', operation: 'purge' })
})

it('what lies at some keys is read in their order, without what is gone', async () => {
  const asked: Key[] = []
  const get = async (at: Key) => (asked.push(at) && at.sk !== 'gone' ? { ...at, n: at.sk } : undefined)
  const keys = ['b', 'gone', 'a'].map((sk) => ({ ...key, sk, more: 1 }))
  expect((await readEach({ get }, keys)).map(({ n }) => n)).toEqual(['b', 'a'])
  expect(asked).toEqual(keys.map(({ pk, sk }) => ({ pk, sk })))
})
