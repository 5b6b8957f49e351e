import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { audit } from '../harness/audit.ts'
import { call, type Reply } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'

// Usernames and external ids lose the white space around them on every way in; what is stored stays until it is changed.

let service: Service
const old = ['old-1', 'old-2', 'old-3', 'old-4'].map((id) => ({
  id,
  username: `\u3000${id} `,
  external_id: ` E ${id}\t`,
}))
beforeAll(async () => {
  service = await startService({
    users: [...people, ...old, { id: 'turned', username: 'turned\u202edenrut' }, { id: 'unseen', username: '\u200b' }],
  })
})

const create = (body: object) => call('createUser', { body: { ...ordinary, first_name: 'A', last_name: 'B', ...body } })
const patch = (user_id: string, body: object) => call('updateUser', { path: { user_id }, body })
let serial = 0
const names = ({ body }: Reply) => [body.username, body.external_id]
const codeOf = ({ status, body }: Reply): string | number => body.error_code ?? status

describe('what comes in', () => {
  it.each<[string, (username: string, external_id: string) => Promise<Reply>]>([
    ['a creation', (username, external_id) => create({ username, external_id })],
    [
      'a patch',
      async (username, external_id) => {
        const { body } = await create({ username: `before-${++serial}` })
        return patch(body.id, { username, external_id })
      },
    ],
    [
      'a batch of patches',
      async (username, external_id) => {
        const { body: user } = await create({ username: `before-${++serial}` })
        const { body } = await call('updateUsers', {
          body: { items: [{ id: user.id, body: { username, external_id } }] },
        })
        return body.items[0]
      },
    ],
    [
      'an import',
      async (username, external_id) => {
        const id = `imported-${++serial}`
        const users = [{ id, first_name: 'A', last_name: 'B', username, external_id }]
        await importDirectory(contextOf(service), { users })
        await importDirectory(contextOf(service), { users })
        return call('getUser', { path: { user_id: id } })
      },
    ],
  ])('by %s', async (way, by) => {
    const name = way.replace('a ', '')
    expect(names(await by(`\t ${name}\u00a0`, `\ufeff E  ${name}\n`))).toEqual([name, `E  ${name}`])
    expect(codeOf(await create({ username: `${name} ` }))).toBe('USERNAME_ALREADY_EXISTS')
    expect(codeOf(await create({ username: 'other', external_id: ` E  ${name}` }))).toBe('EXTERNAL_ID_ALREADY_EXISTS')
    expect((await call('listUsers', { query: { username: name } })).body.users).toHaveLength(1)
    const longest = 'x'.repeat(255 - name.length) + name
    expect(names(await by(`${' '.repeat(300)}${longest}`, `${longest}${' '.repeat(300)}`))).toEqual([longest, longest])
  })

  it('a file that names two alike has a fault', async () => {
    const users = ['twin', ' twin'].map((username) => ({ first_name: 'A', last_name: 'B', username }))
    await expect(importDirectory(contextOf(service), { users })).rejects.toThrow('users[1].username')
  })

  it('the same creation twice is one', async () => {
    const body = { id: 'again', username: ' again ', external_id: 'again ' }
    expect([codeOf(await create(body)), codeOf(await create(body))]).toEqual([201, 200])
    expect(codeOf(await create({ ...body, username: 'again', external_id: 'again' }))).toBe(200)
  })

  it('external ids of groups, roles and tasks do as well', async () => {
    const title = [{ language: 'en-GB', text: 'x' }]
    const group = { title, parent_id: 'root', external_id: ' G ' }
    const role = { title, scope: 'CHANNELS', external_id: ' R ' }
    const task = { title: 'x', external_id: ' T ', recipients: [{ id: 'plain', type: 'USER' }] }
    for (const [name, body] of [
      ['Group', group],
      ['Role', role],
      ['Task', task],
    ] as const) {
      const { body: made } = await call(`create${name}`, { body })
      expect(made.external_id).toBe(body.external_id.trim())
      const path = { [`${name.toLowerCase()}_id`]: made.id }
      const { body: changed } = await call(`update${name}`, { path, body: { external_id: `\n${name} two ` } })
      expect(changed.external_id).toBe(`${name} two`)
    }
  })
})

describe('what is stored', () => {
  const stored = (n: number) => old[n] as (typeof old)[number]

  it('stays when something else is changed', async () => {
    const { id, username, external_id } = stored(0)
    for (const user of [id, 'turned', 'unseen'])
      expect((await patch(user, { first_name: 'New', email: 'new@example.com' })).status).toBe(200)
    expect(names(await call('getUser', { path: { user_id: id } }))).toEqual([username, external_id])
    expect((await call('listUsers', { query: { username } })).body.users).toMatchObject([{ id }])
    expect((await call('listUsers', { query: { external_id } })).body.users).toMatchObject([{ id }])
    expect((await call('lockUser', { path: { user_id: id } })).status).toBe(200)
    expect((await call('deleteUser', { path: { user_id: id } })).status).toBe(200)
    expect((await call('restoreUser', { path: { user_id: id } })).body.username).toBe(username)
  })

  it('is what is sent from the next time on that it is named', async () => {
    const { id, username, external_id } = stored(1)
    expect(names(await patch(id, { username, external_id }))).toEqual([id, `E ${id}`])
    expect(codeOf(await create({ username: id }))).toBe('USERNAME_ALREADY_EXISTS')
    expect(names(await create({ username: `${username}x`, external_id: 'free' }))).toEqual([`${id} x`, 'free'])
    expect(names(await patch(stored(2).id, { username: stored(2).id }))[0]).toBe(stored(2).id)
  })

  it('is not lost to another user', async () => {
    const { id, username } = stored(3)
    await create({ username: id })
    expect(codeOf(await patch(id, { username }))).toBe('USERNAME_ALREADY_EXISTS')
    expect(names(await patch(id, { last_name: 'New' }))[0]).toBe(username)
  })

  it.each(['turned', 'unseen'])('%s and not allowed any more is named when it is sent again', async (id) => {
    const { body: user } = await call('getUser', { path: { user_id: id } })
    const { body } = await patch(id, { username: user.username, last_name: 'New' })
    expect([body.error_code, body.property]).toEqual(['VALIDATION_ERROR', 'username'])
    expect((await patch(id, { username: `${id}.again` })).status).toBe(200)
  })
})

it('and leaves the table whole', () => audit(service))
