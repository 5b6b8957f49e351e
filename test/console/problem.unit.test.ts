import { expect, test } from 'vitest'
import { RollcallError } from '../../console/data/api.ts'
import { waitText } from '../../console/data/problem.ts'
import { de } from '../../console/texts/de.ts'

test('a call that waits says why: no answer, or a busy service', () => {
  const because = (status?: number) => waitText(1.2, new RollcallError('failed', { status, done: false }), de)
  expect(because()).toBe('Der Dienst antwortet nicht. Neuer Versuch in 2 Sekunden …')
  for (const status of [429, 503])
    expect(because(status)).toBe('Der Dienst ist beschäftigt. Neuer Versuch in 2 Sekunden …')
})
