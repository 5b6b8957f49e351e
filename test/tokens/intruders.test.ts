import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { tokenText } from '../../domain/people/tokens/serviceToken.ts'
import { call, type Reply, type Request } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'
import { countWrites } from '../harness/writes.ts'

// Tokens that must not work, each once good or nearly so. All get the same answer.

let service: Service
let good: string
let writes: () => number
/** The tokens by what is wrong with them. */
const bad = new Map<string, string>()

const path = { user_id: 'plain' }
const ask = (request: Request): Promise<Reply> => call('getUser', { path, ...request })
const rotate = async (token_id: string, body: object): Promise<string> =>
  (await call('rotateServiceToken', { path: { token_id }, body })).body.token
const idOf = (token: string): string => token.split('_')[1] as string

beforeAll(async () => {
  // Another stage has tokens of other secrets, even under the same id.
  const elsewhere = await startService()
  const foreign = await giveToken(elsewhere, ['READ'], { id: tokenId('good') })
  service = await startService()
  good = await giveToken(service, ['READ'], { id: tokenId('good') })
  bad.set('of another stage', foreign)
  bad.set('that never was', tokenText(tokenId('nobody'), randomBytes(32)).token)
  bad.set('with the id of another token', tokenText(idOf(good), randomBytes(32)).token)
  bad.set('truncated', good.slice(0, -1))
  bad.set('without its check', good.slice(0, good.lastIndexOf('_')))
  bad.set('with a wrong check', `${good.slice(0, -6)}000000`)
  bad.set('in other letter case', good.toUpperCase().replace('RCT_', 'rct_'))
  bad.set('with a beginning in capitals', good.replace('rct_', 'RCT_'))
  const { body: deleted } = await call('createServiceToken', { body: { name: 'Deleted', scopes: ['READ'] } })
  await call('deleteServiceToken', { path: { token_id: deleted.id } })
  bad.set('deleted', deleted.token)
  bad.set('at the instant of its end', await giveToken(service, ['READ'], { expires_at: service.now().toISOString() }))
  const first = await giveToken(service, ['READ'], { id: tokenId('turned') })
  const second = await rotate(tokenId('turned'), { overlap_minutes: 60 })
  bad.set('rotated twice during an overlap: the newer one', second)
  const third = await rotate(tokenId('turned'), { overlap_minutes: 60 })
  for (const token of [first, third]) expect((await ask({ token })).status).toBe(200)
  const past = await giveToken(service, ['READ'], { id: tokenId('ended') })
  await rotate(tokenId('ended'), { overlap_minutes: 0 })
  bad.set('rotated without an overlap', past)
  writes = countWrites(service)
})

const names = [
  ...['of another stage', 'that never was', 'with the id of another token', 'truncated', 'without its check'],
  ...['with a wrong check', 'in other letter case', 'with a beginning in capitals', 'deleted'],
  ...['at the instant of its end', 'rotated twice during an overlap: the newer one', 'rotated without an overlap'],
]

it('all of them are tried', () => {
  expect(names.sort()).toEqual([...bad.keys()].sort())
})

describe('a token', () => {
  it.each(names)('%s: 401, as any other', async (name) => {
    const before = writes()
    const { status, headers, body } = await ask({ token: bad.get(name) as string })
    const { request_id: _id, ...problem } = body
    expect([status, problem]).toEqual([
      401,
      {
        ...{ type: 'about:blank', status: 401, title: 'A valid bearer token is needed' },
        detail: 'The token is malformed, expired, foreign or not verifiable',
        error_code: 'UNAUTHENTICATED',
      },
    ])
    expect(headers['www-authenticate']).toBe(
      'Bearer error="invalid_token", error_description="The token is malformed, expired, foreign or not verifiable"',
    )
    expect(writes(), 'no use of it is noted').toBe(before)
  })

  it('whose overlap is over: 401, from the instant on', async () => {
    const old = await giveToken(service, ['READ'], { id: tokenId('overlap') })
    const { body } = await call('rotateServiceToken', {
      path: { token_id: tokenId('overlap') },
      body: { overlap_minutes: 1 },
    })
    const began = service.now()
    const at = async (moment: string | Date) => {
      service.setNow(moment)
      return [(await ask({ token: old })).status, (await ask({ token: body.token })).status]
    }
    expect(await at(new Date(Date.parse(body.previous_expires_at) - 1))).toEqual([200, 200])
    expect(await at(body.previous_expires_at)).toEqual([401, 200])
    service.setNow(began)
  })

  it('that works is good in the header only', async () => {
    expect((await ask({ token: good })).status).toBe(200)
    expect((await ask({ token: null, headers: { authorization: `bearer ${good}` } })).status).toBe(200)
    const elsewhere: Request[] = [
      { query: `access_token=${good}` },
      { query: `authorization=Bearer%20${good}` },
      { query: `token=${good}` },
      { headers: { cookie: `access_token=${good}; authorization=Bearer ${good}` } },
      { headers: { authorization: '', 'x-api-key': good } },
      { headers: { authorization: `Basic ${Buffer.from(`${idOf(good)}:${good}`).toString('base64')}` } },
      { headers: { authorization: good } },
    ]
    for (const request of elsewhere) {
      const { status, headers } = await ask({ token: null, ...request })
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer /)])
    }
  })
})

describe('a refusal', () => {
  it('costs no read if the check is wrong', async () => {
    service.measured()
    await ask({ token: bad.get('truncated') as string })
    expect(service.measured()).toEqual([expect.objectContaining({ ClientErrors: 1, DatabaseRequests: 0 })])
  })

  it('says nothing of a secret in the log', async () => {
    service.logged()
    for (const token of [good, ...bad.values()]) await ask({ token })
    const lines = JSON.stringify(service.logged())
    expect(lines).toContain(`"service_token":"${idOf(good)}"`)
    for (const token of [good, ...bad.values()]) {
      const secret = token.split('_')[2] as string
      expect(lines).not.toContain(secret.slice(0, 8))
    }
  })
})

it('a JWT does not make its caller a service token', async () => {
  const { tokenFor } = await import('../harness/tokens.ts')
  const { body } = await ask({ token: tokenFor(`service_token:${idOf(good)}`) })
  expect(body.error_code).toBe('ACTOR_NOT_ACTIVE')
})

describe('an instance that remembers refusals', () => {
  it('reads the token before all else, once unknown ones come, but not for those it knows', async () => {
    const remembering = await startService({ remembers: true })
    // The refusals of the tests before are forgotten.
    remembering.setNow(new Date(remembering.now().getTime() + 60_000))
    const [known, fresh] = [await giveToken(remembering, ['READ']), await giveToken(remembering, ['READ'])]
    const costOf = async (token: string) => {
      remembering.measured()
      const { status } = await call('listUsers', { token })
      const [{ DatabaseRounds: rounds = 0, DatabaseRequests: requests = 0 } = {}] = remembering.measured()
      return { status, rounds, requests }
    }
    await costOf(known)
    const usual = await costOf(known)
    const first = await costOf(bad.get('that never was') as string)
    const second = await costOf(tokenText(tokenId('guessed'), randomBytes(32)).token)
    expect([first.status, second.status]).toEqual([401, 401])
    expect(first.requests).toBeGreaterThan(1)
    expect(second.requests).toBe(1)
    expect(await costOf(known)).toEqual(usual)
    expect((await costOf(fresh)).rounds).toBe(usual.rounds + 1)
    expect(await costOf(fresh)).toEqual(usual)
    service.activate()
  })
})
