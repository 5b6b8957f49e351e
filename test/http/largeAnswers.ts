import { request as plainRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type UserRecord, users as userRecords } from '../../domain/people/records/user.ts'
import { userFields } from '../../domain/people/records/userFields.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { userCountKey } from '../../domain/table/keys.ts'
import type { Any } from '../harness/call.ts'
import type { Running } from './service.ts'

const users = '/api/admin/users/v4/users'

/** As much as a user may hold: about 65 kB of text. */
const large = (n: number): UserRecord =>
  userFields.create(
    {
      first_name: 'Large',
      last_name: `Large ${String(n).padStart(3, '0')}`,
      status: 'ACTIVE',
      username: `large-${n}`,
      role: 'USER',
      attributes: Array.from({ length: 50 }, (_, m) => ({ name: `attribute-${m}`, value: '🦩'.repeat(255) })),
      tags: Array.from({ length: 50 }, (_, m) => ({ name: `${String(m).padStart(2, '0')}${'🦩'.repeat(62)}` })),
    },
    {
      id: `large-${n}`,
      primary_user_group_id: 'all-users',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    },
  )

/** What goes over the line, as the client gets it. */
async function bytesOf(
  service: Running,
  path: string,
  encoding: string | undefined,
): Promise<{ status: number; headers: Any; bytes: Buffer }> {
  const token = await service.tokenOf('admin')
  const headers = {
    authorization: `Bearer ${token}`,
    ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
  }
  return new Promise((resolve, reject) => {
    const sent = plainRequest(`${service.baseUrl}${path}`, { headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Of a directory to which a hundred of the largest users are added. */
export const largeAnswers = (running: () => Running) =>
  describe('large answers', () => {
    const items = Array.from({ length: 100 }, (_, n) => itemOf(userRecords, large(n)))
    const count = (by: number) => running().store.write([{ update: userCountKey(0), add: { ACTIVE_USER: by } }])
    beforeAll(async () => {
      for (let n = 0; n < 100; n += 25) await running().store.bulk(items.slice(n, n + 25).map((put) => ({ put })))
      await count(100)
    })
    afterAll(async () => {
      await running().store.bulk(items.map(({ pk, sk }) => ({ delete: { pk, sk } })))
      await count(-100)
    })

    it.each(['gzip, deflate;q=0.5', 'br, *;q=0.1'])(
      'a page of a hundred users, each as large as can be, comes compressed to callers who accept that (%s)',
      async (encoding) => {
        const path = `${users}?page_limit=100&sort=USERNAME_DESC`
        const { status, headers, bytes } = await bytesOf(running(), path, encoding)
        expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
        expect(headers['content-type']).toMatch(/^application\/json/)
        expect(bytes.length).toBeLessThan(4_500_000)
        const page = JSON.parse(gunzipSync(bytes).toString('utf8'))
        expect(page.users.length).toBe(100)
        // Clients that ask for it by themselves see nothing of it.
        const { body } = await running().request('GET', path)
        // Each answer has another cursor: it is sealed with other random bytes.
        expect(body.users).toEqual(page.users)
      },
    )

    it.each([undefined, 'gzip;q=0', 'gzip;q=0, *'])(
      'who takes no gzip (%s) is asked to ask for less',
      async (encoding) => {
        const { status, headers, bytes } = await bytesOf(
          running(),
          `${users}?page_limit=100&sort=USERNAME_DESC`,
          encoding,
        )
        const problem = JSON.parse(bytes.toString('utf8'))
        expect([status, problem.error_code, headers['content-encoding']]).toEqual([413, 'PAYLOAD_TOO_LARGE', undefined])
        expect(problem.detail).toMatch(/page_limit.*gzip/)
      },
    )

    it('and gets that', async () => {
      const { status, bytes } = await bytesOf(running(), `${users}?page_limit=50&sort=USERNAME_DESC`, 'br')
      expect([status, JSON.parse(bytes.toString('utf8')).users.length]).toEqual([200, 50])
    })

    it('a batch that is done is never refused for the length of its answer', async () => {
      // What changes takes the database long, and a call has no more than its 29 seconds.
      const names = (n: number) => ({ first_name: n % 10 === 0 ? 'Larger' : 'Large' })
      const items = Array.from({ length: 100 }, (_, n) => ({ id: `large-${n}`, body: names(n) }))
      const { status, body } = await running().request('PATCH', `${users}/batch`, {
        body: { items },
        headers: { 'accept-encoding': 'identity' },
      })
      expect(status).toBe(200)
      expect(new Set(body.items.map((item: Any) => item.status))).toEqual(new Set([200]))
      const shown = body.items.filter((item: Any) => item.body)
      expect(shown.length).toBeGreaterThan(50)
      expect(shown.length).toBeLessThan(100)
    })

    it('small answers go as they are', async () => {
      const { headers, bytes } = await bytesOf(running(), `${users}?page_limit=1&sort=LAST_NAME_DESC`, 'gzip')
      expect(headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(bytes.toString('utf8')).users.length).toBe(1)
    })
  })
