import { announceExpiry } from '../../domain/people/tokens/announceExpiry.ts'
import { call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'
import { type Line, linesOf } from './line.ts'

const HOUR_MS = 3_600_000
const path = { token_id: tokenId('lasting') }
const ending = { token_id: tokenId('ending') }

/** The token that calls below are made with. */
let token = ''
async function twoTokens(service: Service): Promise<void> {
  token = await giveToken(service, ['READ', 'USERS'], { id: path.token_id, name: 'Lasting' })
  await giveToken(service, ['READ'], { id: ending.token_id, name: 'Ending' })
}
const hourLater = async (service: Service) => service.setNow(new Date(service.now().getTime() + HOUR_MS))
const getUser = () => call('getUser', { token, path: { user_id: 'u-1' } })

const announce = (at: string) => (service: Service) =>
  announceExpiry({
    store: service.store,
    clock: () => new Date(at),
    timeLeft: () => 60_000,
    log: () => {},
  })

/** What the endpoints of service tokens cost, calls with a service token, and the look for those that expire. */
export const tokenLines: readonly Line[] = [
  ...linesOf('createServiceToken', [
    { scenario: 'a token', request: { body: { name: 'New', scopes: ['READ'] } }, status: 201, costs: [2, 2, 2, 10] },
  ]),
  ...linesOf('listServiceTokens', [{ scenario: 'first page', before: twoTokens, request: {}, costs: [3, 1, 4, 0] }]),
  ...linesOf('getServiceToken', [{ scenario: 'a token', request: { path }, costs: [1, 1, 4, 0] }]),
  ...linesOf('updateServiceToken', [
    { scenario: 'another name', request: { path, body: { name: 'Other' } }, costs: [2, 2, 4, 6] },
    { scenario: 'the same again', request: { path, body: { name: 'Other' } }, costs: [1, 1, 4, 0] },
  ]),
  ...linesOf('rotateServiceToken', [
    {
      scenario: 'a token',
      before: (service) => giveToken(service, ['READ'], { id: tokenId('turning') }),
      request: { path: { token_id: tokenId('turning') }, body: {} },
      costs: [2, 2, 4, 6],
    },
  ]),
  ...linesOf('deleteServiceToken', [
    { scenario: 'a token', request: { path: ending }, status: 204, costs: [2, 2, 3, 10] },
  ]),
  ...linesOf('getUser', [
    { scenario: 'by a service token, for the first time', work: getUser, costs: [3, 2, 4.5, 2] },
    { scenario: 'by a service token, again', work: getUser, costs: [2, 2, 4.5, 0] },
    { scenario: 'by a service token, an hour later', before: hourLater, work: getUser, costs: [3, 2, 5.5, 2] },
  ]),
  ...linesOf('announceExpiry', [
    { scenario: 'once an hour', work: announce('2026-11-21T09:17:00.000Z'), costs: [1, 1, 1, 0] },
    { scenario: 'otherwise', work: announce('2026-11-21T09:18:00.000Z'), costs: [0, 0, 0, 0] },
  ]),
]
