import { serviceTokens } from '../../domain/people/tokens/serviceToken.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Expect } from './findings.ts'
import type { Copy } from './tableCopy.ts'

/** Checks service tokens: they are counted, and each has an item for its last use. */
export function auditTokens(copy: Copy, expect: Expect): void {
  const tokens = copy.partition(keys.allServiceTokens.hash).flatMap((item) => serviceTokens.of(item) ?? [])
  const ids = tokens.map(({ id }) => id)
  expect(Number(copy.at(keys.serviceTokenCountKey)?.['count'] ?? 0), 'service tokens counted').toBe(ids.length)
  const used = copy.partition(keys.tokenUses.hash).map(({ sk }) => sk)
  expect(used.sort(), 'service tokens with an item for their last use').toEqual(ids.sort())
  const halves = tokens.filter((token) => (token.previous_secret === null) !== (token.previous_expires_at === null))
  expect(
    halves.map(({ id }) => id),
    'service tokens with half of a previous secret',
  ).toEqual([])
}
