import type { Bench } from '../figures.ts'
import { newPerson } from '../sampleRecords.ts'
import { cpuMsSince, timed } from '../timing.ts'
import { caller, enter, newWorld } from '../world.ts'

const USERS = 250
const WARM_UP = 60
const CALLS_AT_ONCE = 8
const LEAST_PER_CORE = 80

/** P6: users created, changed, locked and deleted through the handlers, per second of the service's processor time. */
export async function throughput({ endpoint, say, atLeast, info }: Bench): Promise<void> {
  enter(await newWorld(endpoint))
  await lives(WARM_UP, { prefix: 'w', say })
  const cpu = process.cpuUsage()
  let requests = 0
  const ms = await timed(async () => {
    requests = await lives(USERS, { prefix: 'u', say })
  })
  atLeast('requests per second of processor time', (requests * 1000) / cpuMsSince(cpu), LEAST_PER_CORE, '/s')
  info('requests per second, with the database on the same machine', [(requests * 1000) / ms], '/s')
}

/** The lives of that many users, a few at a time. Returns the number of requests. */
export async function lives(users: number, { prefix, say }: { prefix: string; say: Bench['say'] }): Promise<number> {
  const waiting = Array.from({ length: users }, (_, n) => `${prefix}${n}`)
  let requests = 0
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      // Read after the life: others have added theirs meanwhile.
      const made = await life(id)
      requests += made
      say(`${requests} of ${users * 4} requests`)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  return requests
}

async function life(id: string): Promise<number> {
  const path = { user_id: id }
  const calls = [
    await caller('createUser', { body: newPerson(id) }),
    await caller('updateUser', { path, body: { last_name: 'Ferrán', tags: [{ name: 'new' }] } }),
    await caller('lockUser', { path }),
    await caller('deleteUser', { path }),
  ]
  for (const call of calls) await call()
  return calls.length
}
