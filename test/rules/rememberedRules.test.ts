import { beforeAll, expect, it } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// A process remembers rules for minutes. What it remembers decides nothing that today's rules would decide otherwise.

let service: Service
const title = [{ language: 'en-GB', text: 'Title' }]
const GROUPS = 18
const MOST = 2 * GROUPS
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'], remembers: true })
  await made('createRole', { id: 'custom', title, scope: 'USER_GROUPS' })
  for (let n = 0; n < GROUPS; n++) await made('createGroup', { id: `g-${n}`, title, parent_id: 'root' })
})

async function made(name: string, body: object): Promise<void> {
  const reply = await call(name, { body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
}

/** Lets rules be applied, and two minutes pass: longer than settings are remembered, not as long as rules are. */
async function later(): Promise<void> {
  service.setNow(new Date(service.now().getTime() + 120_000))
  await finishOverdue({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
}

/** Makes or deletes rules, until there are so many that give users with a tag a custom role each. */
let rules = 0
async function allow(count: number): Promise<void> {
  for (; rules < count; rules++)
    await made('createRule', {
      id: `r-${rules}`,
      title: 'Rule',
      user_group_id: `g-${rules % GROUPS}`,
      role_id: rules < GROUPS ? 'custom' : 'coach',
      conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['all of it'] }],
    })
  for (; rules > count; rules--)
    expect((await call('deleteRule', { path: { rule_id: `r-${rules - 1}` } })).status).toBe(204)
  await later()
}

const person = (id: string) => ({
  ...ordinary,
  id,
  username: id,
  external_id: id,
  email: `${id}@example.com`,
  first_name: 'Zoë Marie',
  last_name: 'Weiß-Łukasz',
  tags: [{ name: 'All of it' }],
  attributes: ['department', 'location', 'job_title'].map((name) => ({ name, value: `Some ${name}` })),
})
const create = (id: string) => call('createUser', { body: person(id) })
const pendingIn = ({ status, headers }: Any) => [status, headers['x-rules-pending']]
const heldBy = async (id: string): Promise<number> =>
  (await service.store.query({ hash: `USER#${id}`, beginsWith: 'GA#' })).items.filter(
    (item) => item['source'] === 'RULE',
  ).length

it('rules that a process remembers do not make it more than it is', async () => {
  await allow(MOST)
  expect(pendingIn(await create('before'))).toEqual([201, 'true'])
  await allow(15)
  expect(pendingIn(await create('after'))).toEqual([201, undefined])
  expect(await heldBy('after')).toBe(15)
  await audit(service)
})
