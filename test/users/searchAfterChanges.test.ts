import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// A user's search words lie on any of their items: through any sequence of changes the user is found by what they are called
// now, and by nothing else.

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
})

const words = ['ada', 'adam', 'bo', 'cy', 'dot', 'eve', 'fay']
const name = fc.subarray(words, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '))
/** With so many words a user is stored in another place than with few. */
const many = (letter: string) => [...'abcdefghijklmnopqrst'].map((second) => letter + second).join(' ')
const attributes = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('department', 'location', 'job_title', 'note'),
      value: fc.constantFrom(...words),
    }),
    { selector: (one) => one.name, maxLength: 4 },
  )
  .map((some) => ({ attributes: some }))

/** Changes of what the user is found by, in one call or by turns with the deletion window; null takes an optional value away. */
const step = fc.oneof(
  name.map((first_name) => ({ first_name })),
  name.map((last_name) => ({ last_name })),
  fc.constantFrom('x', 'X', 'y', 'ada.z').map((username) => ({ username })),
  fc.constantFrom(null, 'eve@fay.example', 'cy@bo.example').map((email) => ({ email })),
  fc.constantFrom(null, 'E-1', 'E-2').map((external_id) => ({ external_id })),
  attributes,
  fc.constant({ first_name: many('m'), last_name: many('n') }),
  fc.tuple(name, attributes).map(([last_name, some]) => ({ last_name, external_id: 'E-3', ...some })),
  fc.constantFrom('lockUser', 'unlockUser', 'deleteUser', 'restoreUser'),
)

type User = Record<'first_name' | 'last_name' | 'username', string> & {
  email: string | null
  attributes: { name: string; value: string }[]
}

/** Whether a term begins a word of the user's: what stands between white space, its parts, and an address's host. */
const isFound = ({ first_name, last_name, username, email, attributes }: User, term: string): boolean =>
  [first_name, last_name, username, email, ...attributes.filter((one) => isSearched(one.name)).map((one) => one.value)]
    .flatMap((text) => (text ?? '').toLowerCase().split(' '))
    .flatMap((word) => [word, ...word.split(/[.@-]/), word.split('@')[1] ?? ''])
    .some((word) => word.startsWith(term))
const isSearched = (attribute: string): boolean => attribute === 'department' || attribute === 'location'

async function found(query: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  for (let page_number = 1; ; page_number++) {
    const { body } = await call('listUsers', { query: { ...query, page_limit: 100, page_number } })
    ids.push(...body.users.map(({ id }: Any) => id))
    if (body.users.length < 100) {
      expect(ids).toHaveLength(body.pagination.total_elements)
      return ids
    }
  }
}

async function take(user_id: string, one: object | string): Promise<void> {
  // Usernames and external ids are made from the user's id, so that no other user has them.
  const own = (value: unknown) => (typeof value === 'string' ? `${value}-${user_id}` : value)
  const body = typeof one === 'string' ? {} : { ...one }
  for (const key of ['username', 'external_id'] as const)
    if (key in body) Object.assign(body, { [key]: own((body as Record<string, unknown>)[key]) })
  const name = typeof one === 'string' ? one : 'updateUser'
  const reply = await call(name, { path: { user_id }, ...(typeof one === 'string' ? {} : { body }) })
  // Some states do not allow some steps: then nothing may have changed, which is what is looked at afterwards.
  expect([200, 204, 403, 409], JSON.stringify(reply.body)).toContain(reply.status)
}

describe('search', () => {
  it('finds a user by what they are called after any changes', async () => {
    let users = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const id = `s${++users}`
        const created = await call('createUser', {
          body: { ...ordinary, id, username: id, first_name: 'Ada', last_name: 'Bo' },
        })
        expect(created.status).toBe(201)
        for (const one of steps) await take(id, one)
        const { body: user } = await call('getUser', { path: { user_id: id } })
        const terms = [...words, 'ad', 'ma', 'nt', 'x-', 'ada.z', 'eve@fay', 'fay.ex', 'example', 'e-1', 's', id]
        for (const search_term of terms)
          expect((await found({ search_term })).includes(id), search_term).toBe(
            isFound(user, search_term) || search_term === id,
          )
        for (const attribute_technical_name of ['department', 'note'])
          for (const attribute_value of words) {
            const has = user.attributes.some(
              (one: Any) => one.name === attribute_technical_name && one.value === attribute_value,
            )
            const filter = { attribute_technical_name, attribute_value }
            expect((await found(filter)).includes(id), JSON.stringify(filter)).toBe(has)
            if (has) expect((await found({ ...filter, search_term: 'ada' })).includes(id)).toBe(isFound(user, 'ada'))
          }
      }),
      { numRuns: runs(10) },
    )
    await audit(service)
  })
})
