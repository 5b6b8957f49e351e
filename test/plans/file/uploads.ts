import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { type Any, call, type Reply, type Request } from '../../harness/call.ts'
import { create } from '../plans.ts'

export const octets = { 'content-type': 'application/octet-stream' }
export const packed = { ...octets, 'content-encoding': 'gzip' }

/** A plan that waits for its file. */
export async function waiting(body: object = {}, request: Request = {}): Promise<Any> {
  const made = await create({ kind: 'FILE', ...body }, request)
  expect([made.status, made.body]).toMatchObject([201, { kind: 'FILE', state: 'WAITING' }])
  return made.body
}

/** Sends a part. */
export const put = (plan_id: string, n: number | string, bytes: Uint8Array, request: Request = {}): Promise<Reply> =>
  call('putPlanPart', { path: { plan_id, n: String(n) }, bytes, headers: octets, ...request })

/** What a caller says about a file. */
export const sumOf = (bytes: Uint8Array, parts = 1) => ({
  parts,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

export const check = (plan_id: string, body: object, request: Request = {}): Promise<Reply> =>
  call('checkPlanFile', { path: { plan_id }, body, ...request })

/** Uploads a file, cut at these places, and has it checked. */
export async function uploaded(
  plan_id: string,
  file: string | Uint8Array,
  { cuts = [], gzip = false, rows }: { cuts?: readonly number[]; gzip?: boolean; rows?: number } = {},
): Promise<Reply> {
  const bytes = Buffer.from(file as string)
  const places = [0, ...cuts, bytes.length]
  const parts = places.slice(1).map((to, n) => bytes.subarray(places[n], to))
  for (const [n, part] of parts.entries()) {
    const { status } = await put(plan_id, n + 1, gzip ? gzipSync(part) : part, { headers: gzip ? packed : octets })
    expect(status).toBe(204)
  }
  return check(plan_id, { ...sumOf(bytes, parts.length), ...(rows === undefined ? {} : { rows }) })
}
