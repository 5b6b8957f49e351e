import { expect, it } from 'vitest'
import { freePort } from '../../local/shared/ports.ts'

it('a process gets each free port only once', async () => {
  const first = await freePort()
  const drawn = [first, first]
  const second = await freePort(() => drawn.pop() ?? first + 1)
  expect(second).not.toBe(first)
})
