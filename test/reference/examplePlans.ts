import { finishHandedOver } from '../../domain/maintenance/finishWork.ts'
import { nameOfPart, partWrite } from '../../domain/plans/file/fileParts.ts'
import { planFiles } from '../../domain/plans/file/planFiles.ts'
import { addOpen, queueOpen, readOpenPlans } from '../../domain/plans/openPlans.ts'
import { endOfWaiting, move, newPlan, type Plan, plans, start } from '../../domain/plans/plan.ts'
import { idItems } from '../../domain/plans/selection.ts'
import { wakePlan } from '../../domain/plans/wake.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { createRecord } from '../../domain/table/changes.ts'
import { workKey } from '../../domain/table/keys.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import type { Store } from '../../domain/table/store.ts'
import { serviceAccountId } from '../../local/identity/tokenEndpoint.ts'

/** The users of each plan: no other example changes them. One of the first plan does not exist, which is a fault. */
const examples: Record<string, string[]> = {
  'plan-ready': ['user-021', 'user-022', 'user-999'],
  'plan-apply': ['user-023', 'user-024'],
  'plan-cancel': ['user-025'],
  'plan-done': ['user-026'],
}

/** The plans that the examples of the reference name, each worked out; `plan-done` is made, too, `plan-waiting` has its file, and `plan-upload` waits for it. */
export async function makeExamplePlans(open: OpenStore, now: string): Promise<void> {
  const store = open.causedBy(systemCause('importDirectory'))
  for (const id of ['plan-waiting', 'plan-upload']) await makeWaiting(store, id, now)
  const work = (id: string) =>
    finishHandedOver(
      { store: open, clock: () => new Date(now), timeLeft: () => 60_000, operation: 'finishWork', log: () => {} },
      [workKey('plan', id)],
    )
  for (const [id, users] of Object.entries(examples)) {
    const request = {
      select: {
        user_ids: { count: users.length, sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
      },
      change: { update: { tags: { add: ['night-shift'] } } },
    }
    const made = {
      id,
      kind: 'SELECTION',
      state: 'CHECKING',
      request,
      scopes: ['USERS'],
      created_by: serviceAccountId,
      created_at: now,
    } as const
    const plan: Plan = newPlan(
      { title: 'Night shift' },
      { ...made, position: { ...start, by: 'IDS', total: users.length } },
    )
    await store.write([
      createRecord(plans, plan),
      ...idItems(id, users),
      addOpen(await readOpenPlans(store), plan, now),
      wakePlan(id, now),
    ])
    await work(id)
  }
  const ready = await plans.read(store, 'plan-done')
  if (!ready) throw new Error('There is no plan to apply')
  const applied = { applied_by: serviceAccountId, applied_at: now, apply_request: 'demo', expires_at: null }
  const { action } = move(ready, { ...applied, state: 'APPLYING' })
  await store.write([action, queueOpen(await readOpenPlans(store), ready.id), wakePlan(ready.id, now)])
  await work(ready.id)
}

/** The file that the examples of the reference upload and check. */
const file = Buffer.from('username,department\nuser-021,Sales\nuser-022,Warehouse\n')

async function makeWaiting(store: Store, id: string, now: string): Promise<void> {
  const asked = { kind: 'FILE', state: 'WAITING', request: { match_by: 'USERNAME' }, scopes: ['USERS'] } as const
  const made = { id, ...asked, scopes: [...asked.scopes], created_by: serviceAccountId, created_at: now }
  const plan = newPlan({ title: 'HR of tonight' }, { ...made, expires_at: endOfWaiting(now), has_files: true })
  const part = { number: 1, name: nameOfPart(1, 'example'), bytes: file.length }
  await planFiles(id).put(part.name, file)
  const open = addOpen(await readOpenPlans(store), plan, now)
  await store.write([createRecord(plans, plan), partWrite(id, part), open, wakePlan(id, now)])
}
