import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { type Client, RollcallError, uploadPlanFile } from '../../client/src/index.ts'
import type { progressLine } from '../shared/progressLine.ts'
import type { Change, Fault, Plan } from './planOutput.ts'

const PLANS = '/api/admin/organisations/v4/plans'
const aPlan = `${PLANS}/{plan_id}` as const

type Show = ReturnType<typeof progressLine>['show']
type State = Plan['state']

const at = (plan_id: string) => ({ params: { path: { plan_id } } })
const listOf = (plan_id: string, query: object) => ({ params: { path: { plan_id }, query } })

/** Makes a plan. The body is checked by the service. */
export const makePlan = async (client: Client, body: object): Promise<Plan> =>
  (await client.POST(PLANS, { body: body as never })).data

export const readPlan = async (client: Client, id: string): Promise<Plan> => (await client.GET(aPlan, at(id))).data

/** Uploads a file to a plan, and starts its check. If that fails, the plan is cancelled, as nobody else will send its file. */
export async function sendFile(client: Client, id: string, { path, rows, show, signal }: Sending): Promise<void> {
  try {
    const { size } = await stat(path)
    const onProgress = (bytes: number) => show({ section: 'bytes sent', done: bytes, total: Math.max(size, bytes) })
    const sent = await uploadPlanFile(client, id, createReadStream(path), { onProgress, signal })
    const body = { ...sent, ...(rows === undefined ? {} : { rows }) }
    await leave(client, id, 'WAITING', () => client.POST(`${aPlan}/check`, { ...at(id), body, signal }))
  } catch (error) {
    await client.POST(`${aPlan}/cancel`, at(id)).catch(() => undefined)
    throw error
  }
}

type Sending = { path: string; rows: number | undefined; show: Show; signal: AbortSignal }

export const applyPlan = (client: Client, id: string, planned: number): Promise<void> =>
  leave(client, id, 'READY', () => client.POST(`${aPlan}/apply`, { ...at(id), body: { planned } }))

/** Makes a call that brings a plan out of a state. If its answer is lost, the plan shows whether it was done. */
async function leave(client: Client, id: string, state: State, call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof RollcallError) || error.done === false) throw error
    if ((await readPlan(client, id)).state === state) throw error
  }
}

const shortestPause = 200
const longestPause = 2_000

/** Waits until a plan has left a state, and shows how far it is. */
export async function whileIn(state: State, client: Client, id: string, show: Show): Promise<Plan> {
  for (let pause = shortestPause; ; pause = Math.min(pause * 1.5, longestPause)) {
    const plan = await readPlan(client, id)
    if (plan.state !== state) return plan
    if (plan.progress) show({ section: state.toLowerCase(), ...plan.progress })
    await setTimeout(pause)
  }
}

/** The first changes of a plan; of these actions and outcomes where they are named. */
export const firstChanges = async (client: Client, id: string, most: number, query: object = {}): Promise<Change[]> =>
  (await client.GET(`${aPlan}/changes`, listOf(id, { ...query, page_limit: most }))).data.changes

/** The first faults of a plan. */
export async function firstFaults(client: Client, id: string, most: number): Promise<Fault[]> {
  const { data } = await client.GET(`${aPlan}/faults`, listOf(id, { page_limit: most }))
  // Only with format=CSV it is a text.
  return (data as { faults: Fault[] }).faults
}
