import { expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, writesAmong } from '../harness/faults.ts'
import type { Service } from '../harness/service.ts'
import { contextOf } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

// Tasks with more recipients than one transaction holds: an import that dies amid them, and the next one.

const start = '2026-11-21T09:00:00.000Z'
const crowd = Array.from({ length: 75 }, (_, n) => `u-${n}`)
const tasks = ['first', 'second']
const file = () => ({
  users: [
    { id: 'boss', username: 'boss', first_name: 'B', last_name: 'B', role: 'ADMIN' },
    ...crowd.map((id) => ({ id, username: id, first_name: 'U', last_name: id })),
  ],
  tasks: tasks.map((id) => ({ id, author_id: 'boss', title: id, body: {} })),
  task_assignments: tasks.flatMap((task_id) => crowd.map((user_id) => ({ task_id, user_id }))),
})
const bringIn = (service: Service) => importDirectory({ ...contextOf(service), now: start }, file())

/** What the tasks are like, with the number of their changes and what their events say. */
async function looks(service: Service): Promise<unknown[]> {
  return Promise.all(
    tasks.map(async (id) => {
      const item = await service.store.get({ pk: `TASK#${id}`, sk: 'TASK' })
      const query = { record_kind: 'task', record_id: id, page_limit: 100 }
      const { body } = await call('listEvents', { query, as: 'boss' })
      const { body: summary } = await call('getTaskSummary', { path: { task_id: id }, as: 'boss' })
      return [item?.['changes'], body.events.map(({ type, changes }: Any) => [type, changes]), summary.total]
    }),
  )
}

it('repeating an import that has died writes nothing that is there', async () => {
  const whole = await emptyTable(['by_last_name'])
  whole.setNow(start)
  const { calls, heal } = strike(whole.client, () => undefined)
  await bringIn(whole)
  heal()
  const undisturbed = await looks(whole)
  await bringIn(whole)
  expect(await looks(whole), 'repeated undisturbed').toEqual(undisturbed)
  for (const last of writesAmong(calls)) {
    const service = await emptyTable(['by_last_name'])
    service.setNow(start)
    const { heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
    await bringIn(service).catch(() => undefined)
    heal()
    await bringIn(service)
    service.setNow('2026-11-21T09:10:00.000Z')
    await purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)
    expect(await looks(service), `after call ${last}`).toEqual(undisturbed)
    await audit(service)
  }
})
