import { loadDirectory } from '../../test/harness/manyUsers.ts'
import type { Directory } from '../demo.ts'
import { atLeast, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { byTurns, median, ratio } from './timing.ts'
import { caller, enter, newWorld, type Request } from './world.ts'

const ROUNDS = 200
const WARM_UP = 40
/** How fast SCIM must be, compared with the other endpoints. */
const LEAST_RATIO = 0.8

const idOf = (n: number): string => `u${String(n).padStart(6, '0')}`
const person = (id: string) => ({ ...newPerson(id), primary_user_group_id: 'all-users' })

/** A call and, by SCIM, its request. */
type Call = { endpoint: string; request: Request }

const bySCIM = (method: string, path: string, more: Request = {}): Call => ({
  endpoint: 'scimUsers',
  request: { method, rawPath: `/scim/v2${path}`, ...more },
})

const ours = {
  find: (id: string): Call => ({ endpoint: 'listUsers', request: { query: { username: id } } }),
  change: (id: string): Call => ({
    endpoint: 'updateUser',
    request: {
      path: { user_id: id },
      body: { email: `${id}@new.example`, attributes: [{ name: 'job_title', value: 'new' }] },
    },
  }),
  create: (id: string): Call => ({ endpoint: 'createUser', request: { body: person(id) } }),
}

const scim = {
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
    const { username, first_name, last_name, email, attributes } = person(id)
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

/** SCIM: what directories do for each user, a search by userName and then PATCH or POST, by SCIM and by the other endpoints. */
export async function provisioning(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  const rounds = ROUNDS + WARM_UP
  const directory: Directory = { users: Array.from({ length: 2 * rounds }, (_, n) => person(idOf(n))) }
  await loadDirectory(world.store, directory, { now: world.now, onProgress: (n) => say(`${n} users made`) })
  enter(world, world.client)
  const pairs = {
    'search and PATCH': ['find', 'change', (n: number, nth: number) => idOf(2 * n + nth)],
    'search and POST': ['find', 'create', (n: number, nth: number) => idOf(10_000 + 2 * n + nth)],
  } as const
  const rows: Row[] = []
  for (const [what, [first, second, idFor]] of Object.entries(pairs)) {
    say(what)
    const calls = async (api: typeof ours, nth: number) => {
      const made = Array.from({ length: rounds }, async (_, n) => {
        const id = idFor(n, nth)
        const each = [api[first](id), api[second](id)].map((one) => caller(one.endpoint, one.request))
        return Promise.all(each)
      })
      const ready = await Promise.all(made)
      return async (round: number) => {
        for (const call of ready[round] ?? []) await call()
      }
    }
    const times = await byTurns(
      { ours: await calls(ours, 0), scim: await calls(scim, 1) },
      { rounds: ROUNDS, warmUp: WARM_UP },
    )
    rows.push(atLeast('SCIM', `${what}: speed ÷ our own API`, ratio(times.ours, times.scim), LEAST_RATIO))
    const [own, by] = [median(times.ours), median(times.scim)]
    rows.push(info('SCIM', `${what}: our own API, SCIM`, `${shown(own)} ms, ${shown(by)} ms`))
  }
  return rows
}
