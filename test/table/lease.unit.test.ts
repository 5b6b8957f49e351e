import { describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { absent, is } from '../../domain/table/expressions.ts'
import { endOfLease, leases, ownLease, renewing, writeLease } from '../../domain/table/lease.ts'
import type { Action, Store } from '../../domain/table/store.ts'
import { actionText } from './written.ts'

const BEGIN = Date.parse('2026-11-21T09:00:00.000Z')
const momentIn = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString()
const key = { pk: 'K', sk: 'S' }
const other: Action = { delete: { pk: 'A', sk: 'B' } }

/** A process with a clock, and what it has written. `fails` are the errors of its next writes. */
function process() {
  const own = { seconds: 0, written: [] as Action[], fails: [] as Error[] }
  const store = {
    write: async (actions: readonly Action[]) => {
      const error = own.fails.shift()
      await Promise.resolve()
      if (error) throw error
      own.written.push(...actions)
    },
  } as unknown as Store
  return Object.assign(own, { store, clock: () => new Date(BEGIN + own.seconds * 1000) })
}

const terms = Object.entries(leases)

describe.each(terms)('the lease of %s', (_name, lease) => {
  const lasts = lease.ms / 1000
  const until = lease.until.replace('/', '.')
  const held = (mine?: Record<string, unknown>) => {
    const own = process()
    return { own, its: ownLease(own, lease, { key, end: momentIn(lasts), ...(mine ? { mine } : {}) }) }
  }

  it('lasts longer than until it is renewed', () => {
    expect(lease.renewedAt).toBeLessThan(lease.ms)
    expect(endOfLease(lease, momentIn(0))).toBe(momentIn(lasts))
  })

  it('is taken for its time or another one, by one of two', async () => {
    const own = process()
    const taking = { set: { attempts: 1 }, clear: ['again'], if: absent }
    expect(await writeLease(own, lease, key, taking)).toBe(momentIn(lasts))
    expect(await writeLease(own, lease, key, { if: is({ left: 1 }), lasts: 0 })).toBe(momentIn(0))
    expect(own.written.map(actionText)).toEqual([
      ['update K S', `SET ${until} = "${momentIn(lasts)}", attempts = 1 REMOVE again`, 'if attribute_not_exists(pk)'],
      ['update K S', `SET ${until} = "${momentIn(0)}"`, 'if left = 1'],
    ])
    own.fails = [new StaleRead()]
    expect(await writeLease(own, lease, key, taking)).toBeUndefined()
  })

  it('is renewed once for all that ask when it ends soon', async () => {
    const { own, its } = held()
    const soon = (lease.ms - lease.renewedAt) / 1000
    own.seconds = soon - 0.001
    expect([await its.renew(), own.written]).toEqual([true, []])
    own.seconds = soon
    expect(its.left()).toBe(lease.renewedAt)
    expect(await Promise.all([its.renew(), its.renew(), its.renew()])).toEqual([true, true, true])
    expect(own.written.map(actionText)).toEqual([
      [
        'update K S',
        `SET ${until} = "${momentIn(soon + lasts)}"`,
        `if (attribute_exists(pk)) AND (${until} = "${momentIn(lasts)}")`,
      ],
    ])
    expect(its.left()).toBe(lease.ms)
  })

  it('is known as its own by what only this process has written', async () => {
    const { own, its } = held({ holder: 'me' })
    own.seconds = lasts
    await its.renew()
    expect(own.written.map(actionText)[0]?.at(-1)).toBe('if (attribute_exists(pk)) AND (holder = "me")')
  })

  it('is lost when another process has it, and not asked for again', async () => {
    const { own, its } = held()
    own.seconds = lasts + 1
    expect(its.left()).toBe(0)
    own.fails = [new StaleRead()]
    expect(await Promise.all([its.renew(), its.renew()])).toEqual([false, false])
    expect([await its.renew(), its.left(), own.written]).toEqual([false, 0, []])
  })

  it('may still be its own after a write whose outcome is not known', async () => {
    const { own, its } = held()
    own.seconds = lasts
    own.fails = [new Error('no answer')]
    await expect(its.renew()).rejects.toThrow('no answer')
    expect([await its.renew(), own.written.length]).toEqual([true, 1])
  })
})

describe('a store that renews a lease', () => {
  const lease = leases.imports
  const start = (lost?: () => Error) => {
    const own = process()
    const its = ownLease(own, lease, { key, end: momentIn(90) })
    return { own, its, store: renewing(own.store, lease, key, its, lost) }
  }
  const put = (taken_until: unknown): Action => ({ put: { ...key, data: { taken_until } } })

  it('writes nothing more once the lease is lost, if that is an error', async () => {
    const { own, store } = start(() => new Error('lost'))
    own.seconds = 50
    own.fails = [new StaleRead()]
    await expect(store.write([other])).rejects.toThrow('lost')
    await expect(store.write([other])).rejects.toThrow('lost')
    own.fails = [new Error('down')]
    expect(own.written).toEqual([])
  })

  it('throws what a renewal throws only there', async () => {
    for (const lost of [undefined, () => new Error('lost')]) {
      const { own, store } = start(lost)
      own.seconds = 50
      own.fails = [new Error('down')]
      const outcome = await store.write([other]).then(
        () => 'written',
        (error: Error) => error.message,
      )
      expect([outcome, own.written]).toEqual(lost ? ['down', []] : ['written', [other]])
    }
  })

  it.each<[string, Action, number]>([
    ['puts it', put(momentIn(200)), 200],
    ['moves it', { update: key, set: { 'data/taken_until': momentIn(200) } }, 200],
    ['changes the item otherwise', { update: key, set: { left: 1 } }, 90],
    ['deletes it', { delete: key }, 0],
    ['puts it without an end', put(undefined), 0],
    ['puts another item in its place', { put: key }, 0],
  ])('follows a step that %s', async (_what, step, end) => {
    const { own, its, store } = start()
    await store.write([other, step])
    expect(its.left()).toBe(end * 1000)
    own.seconds = 300
    await store.write([step])
    expect(own.written).toEqual([other, step, step])
  })
})
