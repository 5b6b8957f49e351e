import { createHash } from 'node:crypto'
import { finishHandedOver } from '../../domain/maintenance/finishWork.ts'
import { workKey } from '../../domain/table/keys.ts'
import { generateDirectory } from '../../local/demo/demo.ts'
import { call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

/** Ten active users whom no other line has changed, and one who is deactivated. */
const ten = Array.from({ length: 11 }, (_, n) => `u-${n + 60}`)
const lock = { kind: 'SELECTION', select: { user_ids: ten }, change: { action: 'LOCK' } }
/** The plans that lines make: their ids begin with the time. */
const path = { plan_id: 'none' }
const other = { plan_id: 'none' }

const make = (plan: { plan_id: string }, body: object) => async () => {
  plan.plan_id = (await call('createPlan', { body })).body.id
}
const work =
  (plan: { plan_id: string }) =>
  ({ store, now }: Service) =>
    finishHandedOver({ store, clock: now, timeLeft: () => 60_000, operation: 'finishWork', log: () => {} }, [
      workKey('plan', plan.plan_id),
    ])
const others = { ...lock, select: { user_ids: ['u-41', 'nobody'] } }
const prepareOther = async (service: Service) => {
  await make(other, others)()
  await work(other)(service)
}

const ofFile = { plan_id: 'none' }
const firstPart = { plan_id: 'none', n: '1' }
/** A part that waits in the folder of the test. */
const file = Buffer.from('username\nu-1\n')
const sum = { parts: 1, bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') }

/** Uploads a file of a new plan, so that a worker can check it. */
const upload = (plan: { plan_id: string }, body: object, text: string) => async () => {
  const bytes = Buffer.from(text)
  await make(plan, { kind: 'FILE', ...body })()
  await call('putPlanPart', { path: { plan_id: plan.plan_id, n: '1' }, octets: bytes })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await call('checkPlanFile', { path: plan, body: { parts: 1, bytes: bytes.length, sha256 } })
}
const taken = { plan_id: 'none' }
const back = { plan_id: 'none' }
const byId = { plan_id: 'none' }
const most = { plan_id: 'none' }
/** Five users whom no other line has changed: three of them move, the others stay. And somebody new. */
const five = (header: string, nameOf: (n: number) => string): string =>
  [`${header},location`, ...['Kiel', 'Kiel', 'Kiel', '', ''].map((place, n) => `${nameOf(n + 72)},${place}`)].join('\n')
const newcomer = { match_by: 'USERNAME' }
const someoneNew = 'username,first_name,last_name\nnewcomer,Nia,Newcomer\n'
/** A row for most users, with their external ids and usernames: one of them moves. */
const mostUsers = (generateDirectory({ users: 130 }).users ?? [])
  .slice(0, 120)
  .map(({ external_id, username }, n) => [external_id, username, n === 77 ? 'Kiel' : ''].join())

/** What plans cost: the calls, and what a worker does for ten changes. */
export const planLines: readonly Line[] = [
  ...linesOf('createPlan', [
    { scenario: 'ten users by id', request: { body: lock }, status: 201, costs: [2, 2, 3, 12] },
    {
      scenario: 'by a tag',
      request: { body: { ...lock, select: { tag: 'crew' } } },
      status: 201,
      costs: [2, 2, 3, 10],
    },
  ]),
  ...linesOf('finishWork', [
    {
      scenario: 'a plan of ten changes is checked',
      before: make(path, lock),
      work: work(path),
      costs: [12, 12, 18, 38],
    },
  ]),
  ...linesOf('getPlan', [{ scenario: 'a plan', request: { path }, costs: [1, 1, 3, 0] }]),
  ...linesOf('listPlans', [{ scenario: 'three', request: {}, costs: [2, 1, 3, 0] }]),
  ...linesOf('listPlanChanges', [{ scenario: 'ten', request: { path }, waves: 5, costs: [5, 5, 20, 0] }]),
  ...linesOf('applyPlan', [
    { scenario: 'of ten changes', request: { path, body: { planned: 10 } }, status: 202, costs: [2, 2, 4, 10] },
  ]),
  ...linesOf('finishWork', [
    { scenario: 'ten users are locked by a plan', work: work(path), costs: [33, 23, 46, 298] },
  ]),
  ...linesOf('listPlanFaults', [
    { scenario: 'one', before: prepareOther, request: { path: other }, costs: [2, 2, 4, 0] },
    { scenario: 'one as CSV', request: { path: other, query: { format: 'CSV' } }, costs: [2, 2, 4, 0] },
  ]),
  ...linesOf('createPlan', [
    { scenario: 'of a file', request: { body: { kind: 'FILE' } }, status: 201, costs: [2, 2, 3, 10] },
  ]),
  ...linesOf('putPlanPart', [
    {
      scenario: 'the first part',
      before: async () => {
        await make(ofFile, { kind: 'FILE' })()
        firstPart.plan_id = ofFile.plan_id
      },
      request: { path: firstPart, octets: file },
      status: 204,
      costs: [3, 2, 4, 4],
    },
  ]),
  ...linesOf('checkPlanFile', [
    { scenario: 'a small file', request: { path: ofFile, body: sum }, status: 202, waves: 3, costs: [4, 3, 5, 10] },
  ]),
  ...linesOf('cancelPlan', [
    { scenario: 'before it is applied', request: { path: other }, waves: 3, costs: [3, 3, 4, 10] },
  ]),
  ...linesOf('finishWork', [
    {
      scenario: 'a file of five rows by external id is checked: three changes',
      before: upload(
        taken,
        {},
        five('external_id', (n) => `E-${n}`),
      ),
      work: work(taken),
      costs: [23, 22, 41.5, 46],
    },
    {
      scenario: 'three changes of a file are made',
      before: () => call('applyPlan', { path: taken, body: { planned: 3 } }),
      work: work(taken),
      costs: [22, 19, 23.5, 176],
    },
    {
      scenario: 'the undo of three changes of a file is checked',
      before: async () => make(back, { kind: 'UNDO', plan_id: taken.plan_id })(),
      work: work(back),
      costs: [14, 14, 14, 24],
    },
    {
      scenario: 'three changes of a file are taken back',
      before: () => call('applyPlan', { path: back, body: { planned: 3 } }),
      work: work(back),
      costs: [22, 19, 23.5, 167],
    },
    {
      scenario: 'a file of five rows by id is checked: three changes',
      before: upload(
        byId,
        { match_by: 'ID' },
        five('id', (n) => `u-${n}`),
      ),
      work: work(byId),
      costs: [22, 21, 39, 46],
    },
    {
      scenario: 'a file of one new user by username is checked',
      before: upload(taken, newcomer, someoneNew),
      work: work(taken),
      costs: [24, 23, 39, 42],
    },
    {
      scenario: 'the new user of a file is created',
      before: () => call('applyPlan', { path: taken, body: { planned: 1 } }),
      work: work(taken),
      costs: [20, 19, 16.5, 57],
    },
    {
      scenario: 'a file with most users is checked, by a walk: one change in 120 rows',
      before: upload(most, {}, ['external_id,username,location', ...mostUsers].join('\n')),
      work: work(most),
      costs: [35, 26, 105.5, 44],
    },
  ]),
]
