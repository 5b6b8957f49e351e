import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { SEED } from '../harness/runs.ts'
import { type Service, startService } from '../harness/service.ts'
import { onThisMachine } from '../webhooks/receiver.ts'
import { finishAll } from './finishing.ts'
import { type Golden, type GoldenCase, unpackItem } from './golden.ts'
import { lookAround, nameOfRow, rowsOf } from './looks.ts'

// What the release before has left in its table is read and finished by this one: see README.md.

const golden: Golden = JSON.parse(gunzipSync(readFileSync(new URL('f8d9647e.json.gz', import.meta.url))).toString())

/** A service whose table holds the base, changed as a case has left it. */
async function restored({ put, gone, now }: Pick<GoldenCase, 'put' | 'gone' | 'now'>): Promise<Service> {
  const fill = async (store: Service['store']) => {
    await store.bulk(golden.base.map((item) => ({ put: unpackItem(item) })))
    await store.bulk(gone.map(([pk, sk]) => ({ delete: { pk, sk } })))
    await store.bulk(put.map((item) => ({ put: unpackItem(item) })))
  }
  const service = await startService({ fill, indexes: 'all' })
  onThisMachine()
  service.setNow(now)
  return service
}

const recordIn = (tag: string) => tag.split('.')[0]

describe(`a table of ${golden.release}`, () => {
  beforeAll(() => restored({ put: [], gone: [], now: golden.now }))

  it.each(golden.lists)('a cursor of $endpoint $request leads on', async ({ endpoint, request, cursor, rest }) => {
    expect((await rowsOf(endpoint, request, cursor)).map(nameOfRow)).toEqual(rest)
  })

  it.each(golden.records)('$endpoint $request has its tag and its fields', async ({ endpoint, request, tag, body }) => {
    const answer = await call(endpoint, request)
    expect(answer.body).toMatchObject(body as object)
    expect(recordIn(String(answer.headers['etag']))).toBe(recordIn(tag))
  })

  it('shows what it showed', async () => expect(await lookAround()).toMatchObject(golden.looks))
})

/** All cases with CASES=all; else one of each call that dies, which it is depends on SEED. */
const drawn =
  process.env['CASES'] === 'all'
    ? golden.cases
    : [...Map.groupBy(golden.cases, ({ name }) => name.split(',')[0]).values()].map(
        (some) => some[SEED % some.length] as GoldenCase,
      )

it.each(drawn)(`${golden.release} died: $name`, async (one) => {
  const service = await restored(one)
  service.setNow(new Date(Date.parse(one.now) + 120_000))
  await finishAll(service)
  const looks = await lookAround()
  const expected = Object.entries({ ...golden.looks, ...one.after })
  expect(looks).toMatchObject(Object.fromEntries(expected.filter(([, rows]) => rows !== null)))
  for (const [look, rows] of expected) if (rows === null) expect(looks).not.toHaveProperty([look])
  await audit(service)
})
