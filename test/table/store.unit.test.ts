import { expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { exists } from '../../domain/table/expressions.ts'
import {
  type Action,
  about,
  all,
  FIRST_LIMIT,
  happened,
  isAt,
  type Key,
  keyIn,
  keyOf,
  limitAfter,
  nameOf,
  type Page,
  pages,
  type Range,
  readEach,
  systemCause,
} from '../../domain/table/store.ts'
import { actionText } from './written.ts'

const key = { pk: 'p', sk: 's' }

it('a key as one string tells its parts apart', () => {
  expect(nameOf(key)).toBe('p\ns')
  expect(nameOf({ pk: 'a b', sk: 'c' })).not.toBe(nameOf({ pk: 'a', sk: 'b c' }))
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
  expect(about('email', action)).toEqual({ ...action, about: 'email' })
})

it('a write happened, did not, or failed', async () => {
  expect(await happened(Promise.resolve())).toBe(true)
  expect(await happened(Promise.reject(new StaleRead()))).toBe(false)
  await expect(happened(Promise.reject(new Error('else')))).rejects.toThrow('else')
})

const row = (sk: string) => ({ pk: 'p', sk })

it('everything of a range is read page after page, as many rows at once as pages held', async () => {
  const asked: Range[] = []
  const pages: Page[] = [
    { items: [row('1')], count: FIRST_LIMIT, next: row('1') },
    { items: [], count: 700, next: row('2') },
    { items: [], count: 7, next: row('3') },
    { items: [], count: 0, next: row('4') },
    { items: [row('5')], count: 1 },
  ]
  const query = async (range: Range): Promise<Page> => pages[asked.push(range) - 1] as Page
  const range = { hash: 'p', beginsWith: 'x' }
  expect((await all({ query }, range)).map(({ sk }) => sk)).toEqual(['1', '5'])
  const behind = (sk: string, limit: number) => ({ ...range, limit, after: row(sk) })
  expect(asked).toEqual([
    { ...range, limit: FIRST_LIMIT },
    behind('1', 8000),
    behind('2', 700),
    behind('3', 100),
    behind('4', 100),
  ])
})

it.each<[asked: number, page: Pick<Page, 'count' | 'next'>, limit: number, expected: number]>([
  [10, { count: 4 }, 50, 50],
  [10, { count: 4, next: row('1') }, 50, 4],
  [10, { count: 0, next: row('1') }, 50, 50],
  [10, { count: 10, next: row('1') }, 50, 50],
  [50, { count: 50, next: row('1') }, 50, 50],
  [FIRST_LIMIT, { count: FIRST_LIMIT, next: row('1') }, FIRST_LIMIT, 8000],
  [10, { count: 10, next: row('1') }, FIRST_LIMIT, FIRST_LIMIT],
])('after asking for %i rows and getting %j, with a limit of %i: %i', (asked, page, limit, expected) => {
  expect(limitAfter(asked, page, limit)).toBe(expected)
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

it('pages of a range are read one by one, each when the loop comes to it', async () => {
  const asked: Range[] = []
  const all: Page[] = [
    { items: [key], count: 1, next: key },
    { items: [], count: 0 },
  ]
  const reading = pages({ query: async (range) => all[asked.push(range) - 1] as Page }, { hash: 'p', limit: 20 })
  expect((await reading.next()).value).toBe(all[0])
  expect(asked).toStrictEqual([{ hash: 'p', limit: 20 }])
  expect([(await reading.next()).value, (await reading.next()).done]).toEqual([all[1], true])
  expect(asked.slice(1)).toStrictEqual([{ hash: 'p', limit: 20, after: key }])
})

it('what lies at some keys is read in their order, without what is gone', async () => {
  const asked: Key[] = []
  const get = async (at: Key) => (asked.push(at) && at.sk !== 'gone' ? { ...at, n: at.sk } : undefined)
  const keys = ['b', 'gone', 'a'].map((sk) => ({ ...key, sk, more: 1 }))
  expect((await readEach({ get }, keys)).map(({ n }) => n)).toEqual(['b', 'a'])
  expect(asked).toEqual(keys.map(({ pk, sk }) => ({ pk, sk })))
})
