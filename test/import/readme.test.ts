import { expect, it } from 'vitest'
import { exampleIn } from '../harness/readme.ts'
import { contextOf } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

it('the example of the README of the import returns what it says', async () => {
  const { run, returns } = await exampleIn('domain/import')
  expect(await run(contextOf(await emptyTable()))).toEqual(returns)
})
