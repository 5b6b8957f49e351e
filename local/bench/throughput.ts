import { atLeast, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { caller, enter, newWorld } from './world.ts'

const USERS = 250
const WARM_UP = 60
const CALLS_AT_ONCE = 8
const LEAST_PER_CORE = 80

/** P6: users created, changed, locked and deleted through the handlers, per second of the service's processor time. */
export async function throughput(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newWorld(endpoint)
  enter(world, world.client)
  await lives(WARM_UP, { prefix: 'w', say })
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  const requests = await lives(USERS, { prefix: 'u', say })
  const { user, system } = process.cpuUsage(cpu)
  const [cpuSeconds, seconds] = [(user + system) / 1e6, (performance.now() - startedAt) / 1e3]
  return [
    atLeast('P6', 'requests per second of processor time', requests / cpuSeconds, LEAST_PER_CORE, '/s'),
    info('P6', 'requests per second, with the database on the same machine', `${shown(requests / seconds)}/s`),
  ]
}

/** The lives of that many users, a few at a time. Returns the number of requests. */
export async function lives(users: number, { prefix, say }: { prefix: string; say: Say }): Promise<number> {
  const waiting = Array.from({ length: users }, (_, n) => `${prefix}${n}`)
  let requests = 0
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
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
