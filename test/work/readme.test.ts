import { expect, it } from 'vitest'
import { exampleIn } from '../harness/readme.ts'
import { startService } from '../harness/service.ts'
import { newTask, newUser } from '../tasks/work.ts'

it('the example of the README of the jobs returns what it says', async () => {
  const { run, returns } = await exampleIn('domain/work')
  const service = await startService()
  const [first = '', ...others] = await Promise.all(['ann', 'ben', 'cai', 'dee'].map((id) => newUser(id)))
  const task = await newTask(service.store, { id: 'drill' }, { [first]: 'NEW' })
  const now = service.now()
  const work = { store: service.store, now: now.toISOString(), clock: service.now, timeLeft: () => 60_000 }
  const later = { ...work, clock: () => new Date(now.getTime() + 11_000), log: () => {} }
  expect(await run(work, later, task, others)).toEqual(returns)
})
