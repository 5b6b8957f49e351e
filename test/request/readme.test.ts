import { expect, it } from 'vitest'
import { systemCause } from '../../domain/table/actions.ts'
import { exampleIn } from '../harness/readme.ts'
import { startService } from '../harness/service.ts'

it('the example of the README of the requests returns what it says', async () => {
  const { run, returns } = await exampleIn('domain/request')
  const service = await startService()
  const store = service.store.causedBy(systemCause('readme'))
  expect(await run({ store, now: service.now().toISOString() })).toEqual(returns)
})
