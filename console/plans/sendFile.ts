import { type Client, uploadPlanFile } from '../../client/src/index.ts'
import type { planOf } from './fileRequest.ts'

type Given = {
  body: ReturnType<typeof planOf>
  file: Blob
  /** How many rows the file is said to have. */
  rows: number | undefined
  /** Ends the sending. */
  signal: AbortSignal
  onProgress: (bytes: number) => void
}

const path = '/api/admin/organisations/v4/plans'

/** Makes a plan of a file, sends the file and has it checked. Answers the plan's id. If that ends or fails, the plan is cancelled. */
export async function sendFile(client: Client, { body, file, rows, signal, onProgress }: Given): Promise<string> {
  const { data: plan } = await client.POST(path, { body })
  const params = { path: { plan_id: plan.id } }
  try {
    signal.throwIfAborted()
    const uploaded = await uploadPlanFile(client, plan.id, file, { onProgress, signal })
    const check = { ...uploaded, ...(rows === undefined ? {} : { rows }) }
    await client.POST(`${path}/{plan_id}/check`, { params, body: check, signal })
    signal.throwIfAborted()
    return plan.id
  } catch (error) {
    // A plan without its file would only be in the way.
    await client.POST(`${path}/{plan_id}/cancel`, { params })
    throw error
  }
}
