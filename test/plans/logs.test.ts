import { beforeAll, expect, it } from 'vitest'
import { handler as finishWork } from '../../handlers/maintenance/finishWork.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { checking, csv } from './file/plansOfFiles.ts'
import { apply, changes, create, faults, get, handedOver } from './plans.ts'

// What is logged of plans that do what they should: nothing of a person, neither of those who are there nor of what a file says.

const secret = /secret|geheim/i
const users = ['mia', 'ben', 'eve', 'absent'].map((name) => ({
  id: `id-of-${name}`,
  username: `secret-${name}`,
  external_id: `E-secret-${name}`,
  first_name: `Secret ${name}`,
  last_name: 'Geheim',
  email: `secret.${name}@example.org`,
  attributes: [{ name: 'department', value: 'Secret department' }],
  tags: [{ name: 'secret tag' }],
}))
let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...users],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

const worked = async (plan: string): Promise<Any> => {
  await finishWork(...handedOver(plan))
  return get(plan)
}

async function appliedAndUndone({ id }: Any): Promise<void> {
  const plan = await worked(id)
  expect([plan.state, plan.counts.planned > 0]).toEqual(['READY', true])
  expect((await apply(id, plan.counts.planned)).status).toBe(202)
  expect(await worked(id)).toMatchObject({ state: 'DONE', counts: { failed: 0, skipped: 0 } })
  await changes(id)
  await faults(id)
  await call('listPlanFaults', { path: { plan_id: id }, query: { format: 'CSV' } })
  const undo = (await create({ kind: 'UNDO', plan_id: id, title: 'Secret title' })).body
  const { counts } = await worked(undo.id)
  await apply(undo.id, counts.planned)
  expect(await worked(undo.id)).toMatchObject({ state: 'DONE', counts: { failed: 0 } })
}

/** The lines of a plan, which must be there, and say nothing of a person. */
function requireSilence(endpoints: string[]): void {
  const lines = service.logged()
  const named = new Set(lines.map(({ endpoint }) => endpoint))
  for (const endpoint of endpoints) expect(named).toContain(endpoint)
  for (const line of lines) expect(JSON.stringify(line)).not.toMatch(secret)
}
const always = ['createPlan', 'getPlan', 'applyPlan', 'listPlanChanges', 'listPlanFaults', 'finishWork']

it('of a selection', async () => {
  service.logged()
  const select = { attribute_technical_name: 'department', attribute_value: 'Secret department' }
  const change = { update: { attributes: { department: 'Geheim' }, tags: { add: ['geheim'], remove: ['secret tag'] } } }
  const made = await create({ kind: 'SELECTION', title: 'Secret title', select, change })
  await appliedAndUndone(made.body)
  requireSilence(always)
})

it('of a file with somebody new, somebody who moves, somebody absent, and faults', async () => {
  service.logged()
  const text = csv(
    ['external_id', 'username', 'first_name', 'last_name', 'email', 'Secret column'],
    ['E-secret-mia', 'secret-mia', 'Secret other', 'Geheim', 'secret.new@example.org', 'secret'],
    ['E-secret-ben', 'secret-ben', 'Secret ben', 'Geheim', 'secret.ben@example.org', 'secret'],
    ['E-secret-new', 'secret-new', 'Secret new', 'Geheim', 'secret.new2@example.org', 'secret'],
    ['E-secret-eve', 'secret-eve', 'Secret eve', 'Geheim', 'no address of secret', 'secret'],
  )
  const made = await checking(text, { mode: 'FULL', absent: 'DEACTIVATE', absent_among: { tag: 'secret tag' } }, 4)
  await appliedAndUndone(made)
  requireSilence([...always, 'putPlanPart', 'checkPlanFile'])
})

it('of a file that is refused', async () => {
  service.logged()
  const { id } = await checking('secret;geheim\nsecret;geheim\n')
  expect(await worked(id)).toMatchObject({ state: 'REFUSED' })
  requireSilence(['finishWork'])
})
