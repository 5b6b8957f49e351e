import type { Bench } from '../figures.ts'
import { load } from '../fill.ts'
import { newPerson } from '../sampleRecords.ts'
import { byTurns, median, ratio } from '../timing.ts'
import { caller, enter, newWorld, type Request } from '../world.ts'

const ROUNDS = 200
const WARM_UP = 40
/** How fast SCIM must be, compared with the other endpoints. */
const LEAST_RATIO = 0.8

const idOf = (n: number): string => `u${String(n).padStart(6, '0')}`

/** A call and, by SCIM, its request. */
type Call = { endpoint: string; request: Request }

const bySCIM = (method: string, path: string, more: Request = {}): Call => ({
  endpoint: 'scimUsers',
  request: { method, rawPath: `/scim/v2${path}`, ...more },
})

const ourCalls = {
  find: (id: string): Call => ({ endpoint: 'listUsers', request: { query: { username: id } } }),
  change: (id: string): Call => ({
    endpoint: 'updateUser',
    request: {
      path: { user_id: id },
      body: { email: `${id}@new.example`, attributes: [{ name: 'job_title', value: 'new' }] },
    },
  }),
  create: (id: string): Call => ({ endpoint: 'createUser', request: { body: newPerson(id) } }),
}

const scimCalls = {
  find: (id: string): Call => bySCIM('GET', '/Users', { query: { filter: `userName eq "${id}"` } }),
  change: (id: string): Call =>
    bySCIM('PATCH', `/Users/${id}`, {
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [
          { op: 'Replace', path: 'emails[type eq "work"].value', value: `${id}@new.example` },
          { op: 'Replace', path: 'title', value: 'new' },
        ],
      },
    }),
  create: (id: string): Call => {
    const { username, first_name, last_name, email, attributes } = newPerson(id)
    const [department, location, title] = attributes.map(({ value }) => value)
    return bySCIM('POST', '/Users', {
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        externalId: username,
        userName: username,
        name: { givenName: first_name, familyName: last_name },
        emails: [{ value: email, type: 'work', primary: true }],
        active: true,
        title,
        addresses: [{ type: 'work', locality: location }],
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department },
      },
    })
  },
}

const pairs = [
  { what: 'search and PATCH', second: 'change', idOf: (n: number) => idOf(n) },
  { what: 'search and POST', second: 'create', idOf: (n: number) => idOf(10_000 + n) },
] as const

/** SCIM: what directories do for each user, a search by userName and then PATCH or POST, by SCIM and by the other endpoints. */
export async function scim({ endpoint, say, atLeast, info }: Bench): Promise<void> {
  const world = await newWorld(endpoint)
  const rounds = ROUNDS + WARM_UP
  await load(world, { users: Array.from({ length: 2 * rounds }, (_, n) => newPerson(idOf(n))) }, say)
  enter(world)
  for (const { what, second, idOf } of pairs) {
    say(what)
    const by = async (api: typeof ourCalls, nth: number) => {
      const made = Array.from({ length: rounds }, (_, n) => {
        const id = idOf(2 * n + nth)
        return Promise.all([api.find(id), api[second](id)].map((one) => caller(one.endpoint, one.request)))
      })
      const ready = await Promise.all(made)
      return async (round: number) => {
        for (const call of ready[round] ?? []) await call()
      }
    }
    const times = await byTurns(
      { ourCalls: await by(ourCalls, 0), scimCalls: await by(scimCalls, 1) },
      { rounds: ROUNDS, warmUp: WARM_UP },
    )
    atLeast(`${what}: speed ÷ our own API`, ratio(times.ourCalls, times.scimCalls), LEAST_RATIO)
    info(`${what}: our own API, SCIM`, [median(times.ourCalls), median(times.scimCalls)], ' ms')
  }
}
