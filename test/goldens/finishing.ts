import { readAllWork } from '../../domain/table/readWork.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { newWorker } from '../../local/start/workerLoop.ts'
import type { Service } from '../harness/service.ts'

/** After so many runs everything must be done. */
const RUNS = 40

/** Does all noted work, as the worker and the schedule do, with minutes between their runs. */
export async function finishAll(service: Service): Promise<void> {
  for (let run = 0; run < RUNS; run++) {
    const worker = newWorker()
    await Promise.all([worker.look(), worker.schedule(), worker.deliver()])
    await worker.idle()
    await purge({}, { getRemainingTimeInMillis: () => 60_000 } as never)
    service.setNow(new Date(service.now().getTime() + 70_000))
    if ((await readAllWork(service.store)).length > 0) continue
    // Events of the last work.
    await worker.deliver()
    return worker.idle()
  }
  throw new Error(`Not done after ${RUNS} runs: ${JSON.stringify(await readAllWork(service.store))}`)
}
