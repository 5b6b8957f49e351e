import { beforeEach, describe, expect, it } from 'vitest'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { checkedFile, csv } from './file/plansOfFiles.ts'
import { applied, checked, selected, undone } from './plans.ts'

// Taking back a plan also gives back the order of what is a list.

const attributes = ['note', 'location', 'department', 'job_title'].map((name) => ({ name, value: `a ${name}` }))
const tags = ['zebra', 'ant', 'mole'].map((name) => ({ name }))

let service: Service
beforeEach(async () => {
  service = await startService({
    users: [...people, { id: 'mia', username: 'mia', external_id: 'E-mia', attributes, tags }],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})
const mia = async (): Promise<Any> => {
  const { updated_at: _, ...user } = (await call('getUser', { path: { user_id: 'mia' } })).body
  return user
}
const namesNow = async (): Promise<string[]> => (await mia()).attributes.map(({ name }: Any) => name)
const patch = (body: object) => call('updateUser', { path: { user_id: 'mia' }, body })
const select = { user_ids: ['mia'] }

describe('an undo, and an undo of it, give back the order of a user after', () => {
  it.each<[string, () => Promise<Any>]>([
    [
      'a change that takes attributes away',
      () => selected(service, select, { update: { attributes: { note: null, department: null } } }),
    ],
    [
      'one that takes the last one away',
      () => selected(service, select, { update: { attributes: { job_title: null } } }),
    ],
    [
      'one that takes some away and adds others',
      () => selected(service, select, { update: { attributes: { location: null, joined_on: '2026-01-01' } } }),
    ],
    [
      'a whole list',
      () =>
        selected(service, select, {
          update: {
            attributes: [
              { name: 'joined_on', value: '2026-01-01' },
              { name: 'department', value: 'B' },
            ],
          },
        }),
    ],
    ['no list', () => selected(service, select, { update: { attributes: null, tags: null } })],
    ['other tags', () => selected(service, select, { update: { tags: { add: ['bee'], remove: ['zebra'] } } })],
    [
      'empty cells',
      () =>
        checkedFile(service, csv(['external_id', 'note', 'department', 'tags'], ['E-mia', '', '', 'mole|bee']), {
          empty: 'CLEAR',
        }),
    ],
  ])('%s', async (_, plan) => {
    const before = await mia()
    const made = await plan()
    expect(await applied(service, made)).toMatchObject({ counts: { done: 1 } })
    const after = await mia()
    const undo = await undone(service, made.id)
    expect([undo.counts.done, await mia()]).toEqual([1, before])
    const again = await undone(service, undo.id)
    expect([again.counts.done, await mia()]).toEqual([1, after])
    expect([(await undone(service, again.id)).counts.done, await mia()]).toEqual([1, before])
  })

  it('a restore with other changes', async () => {
    await call('deleteUser', { path: { user_id: 'mia' } })
    const row = csv(['external_id', 'note', 'first_name'], ['E-mia', '', 'Mia'])
    const plan = await checkedFile(service, row, { empty: 'CLEAR', pending: 'RESTORE' })
    const before = await mia()
    expect(await applied(service, plan)).toMatchObject({ counts: { done: 1 } })
    const undo = await undone(service, plan.id)
    expect([undo.counts.done, await mia()]).toEqual([2, before])
  })
})

describe('what others have done since stays where they put it:', () => {
  it('an attribute that is new', async () => {
    const plan = await selected(service, select, { update: { attributes: { note: null, department: null } } })
    await applied(service, plan)
    await patch({ attributes: { joined_on: '2026-01-01' } })
    await undone(service, plan.id)
    expect(await namesNow()).toEqual(['note', 'location', 'department', 'job_title', 'joined_on'])
  })

  it('another order of the others, and a neighbour that is gone', async () => {
    const plan = await selected(service, select, { update: { attributes: { department: null } } })
    await applied(service, plan)
    await patch({ attributes: [{ name: 'job_title', value: 'new' }, attributes[0]] })
    await undone(service, plan.id)
    expect(await namesNow()).toEqual(['job_title', 'note', 'department'])
    expect((await mia()).attributes[0].value).toBe('new')
  })

  it('an attribute that comes while the undo is READY', async () => {
    const plan = await selected(service, select, { update: { attributes: { note: null } } })
    await applied(service, plan)
    const undo = await checked(service, { kind: 'UNDO', plan_id: plan.id })
    await patch({ attributes: { joined_on: '2026-01-01', location: 'new' } })
    expect(await applied(service, undo)).toMatchObject({ counts: { done: 1 } })
    expect(await namesNow()).toEqual(['note', 'location', 'department', 'job_title', 'joined_on'])
  })
})
