import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import type { Running } from '../http/service.ts'

const users = '/api/admin/users/v4/users'
const aUser = `${users}/{user_id}` as const
const lee = { first_name: 'Lee', last_name: 'Lost', role: 'USER' as const, status: 'ACTIVE' as const }

/** Passes requests on to the service, and cuts the line in place of the first answer to each change. */
async function lossyProxy(target: string) {
  const lost: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization = '', 'idempotency-key': key } = request.headers
    const headers = {
      authorization,
      'content-type': 'application/json',
      ...(key ? { 'idempotency-key': `${key}` } : {}),
    }
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const answer = await fetch(target + url, { method, headers, body })
    const text = await answer.text()
    if (method !== 'GET' && !lost.includes(`${method} ${url}`)) {
      lost.push(`${method} ${url}`)
      return void request.socket.destroy()
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost, stop }
}

/** What the service has done is done once, although the client has to send each change twice. */
export const lostAnswers = (running: () => Running) =>
  describe('a client that loses the first answer to each change', { shuffle: false }, () => {
    let proxy: Awaited<ReturnType<typeof lossyProxy>>
    let client: Client
    beforeAll(async () => {
      proxy = await lossyProxy(running().baseUrl)
      const access_token = await running().tokenOf('admin')
      client = createClient({ baseUrl: proxy.baseUrl, token: () => ({ access_token }) })
    })
    afterAll(() => proxy?.stop())

    const create = (username: string) => client.POST(users, { body: { ...lee, username } })
    const eventsOf = async (user_id: string) => {
      const { data } = await client.GET(`${aUser}/events`, {
        params: { path: { user_id }, query: { sort: ['TIME_ASC'] } },
      })
      return data.events.map(({ type }) => type)
    }

    test('creates one user, without an id in the request', async () => {
      const { data, response } = await create('lost.creation')
      expect([response.status, proxy.lost]).toEqual([201, expect.arrayContaining([`POST ${users}`])])
      const found = await client.GET(users, { params: { query: { username: 'lost.creation' } } })
      expect(found.data.users.map(({ id }) => id)).toEqual([data.id])
      expect(await eventsOf(data.id)).toEqual(['user.created'])
    })

    test('changes, locks and deletes once', async () => {
      const params = { path: { user_id: (await create('lost.changes')).data.id } }
      const body = { first_name: 'Lea' }
      expect((await client.PATCH(aUser, { params, body })).data.first_name).toBe('Lea')
      expect((await client.POST(`${aUser}/lock`, { params })).data.status).toBe('LOCKED')
      expect((await client.DELETE(aUser, { params })).data.status).toBe('PENDING_DELETION')
      const events = ['user.created', 'user.updated', 'user.locked', 'user.deleted']
      expect(await eventsOf(params.path.user_id)).toEqual(events)
      expect(proxy.lost).toHaveLength(4)
    })

    test('learns that a refusal may be due to its own success', async () => {
      const title = [{ language: 'en-GB', text: 'Lost and found' }]
      const { data } = await client.POST('/api/admin/users/v4/roles', {
        body: { title, scope: 'USER_GROUPS', type: 'CUSTOM', permissions: [] },
      })
      const deleted = client.DELETE('/api/admin/users/v4/roles/{role_id}', { params: { path: { role_id: data.id } } })
      await expect(deleted).rejects.toMatchObject({ error_code: 'ROLE_NOT_FOUND', done: 'unknown' })
    })
  })
