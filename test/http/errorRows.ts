import { expect } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type ErrorCode, errors } from '../../schemas/errors.ts'
import { checkFaults } from '../harness/call.ts'
import type { Running } from './service.ts'

/** A request and the code it is answered with. */
export type ErrorRow = [code: ErrorCode, method: string, path: string, options?: Parameters<Running['request']>[2]]

/** Makes a row's request and looks at the whole of the answer: every error has one form. */
export async function expectError(request: Running['request'], [code, ...asked]: ErrorRow): Promise<void> {
  const { status, body, headers } = await request(...asked)
  expect(body).toMatchObject({ type: 'about:blank', status, error_code: code, title: errors[code][1] })
  expect(status).toBe(errors[code][0])
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-request-id')).toBe(body.request_id)
  if (status === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
  checkFaults(body)
  if (code === 'VALIDATION_ERROR') expect(body.errors.length).toBeGreaterThan(0)
}

/** Codes that the contracts of some tags name and no row reaches. */
export function unreached(tags: readonly string[], rows: readonly ErrorRow[], elsewhere: readonly ErrorCode[]) {
  const reached = new Set([...rows.map(([code]) => code), ...elsewhere])
  const named = Object.values(contracts).filter(({ tag }) => tags.includes(tag))
  expect(named.length).toBeGreaterThan(0)
  return [...new Set(named.flatMap(({ errors }) => errors))].filter((code) => !reached.has(code))
}
