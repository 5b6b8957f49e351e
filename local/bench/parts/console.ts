import { prepare } from '../../prepare.mjs'
import { type Bench, shown } from '../figures.ts'
import { filled, LARGE } from '../fill.ts'
import { done } from '../processes.ts'
import { startService } from '../service.ts'
import { median } from '../timing.ts'
import type { ConsoleJob, ConsoleSeen } from './consoleMessages.ts'

/** Pages of a list that are turned: as many as somebody turns in days. */
const PAGES = Number(process.env['BENCH_PAGES'] ?? 1_000)
const MOST_MS_TO_OPEN = 1_500
const MOST_MS_OF_A_SEARCH = 300
/** Memory after all pages ÷ after the first hundredth of them. */
const MOST_GROWTH = 1.2

/** CONSOLE: what somebody waits for in the browser, with a large directory. */
export async function consoleInBrowser(bench: Bench): Promise<void> {
  const { say, atMost, info } = bench
  const fault = await prepare('test/browser/')
  if (fault) throw new Error(fault)
  const service = await startService(await filled(bench, LARGE))
  try {
    const { baseUrl, issuer } = service
    const terms = ['schmidt', 'anna', 'large.example', 'qqq']
    const job: ConsoleJob = { baseUrl, issuer, username: 'admin', terms, pages: PAGES }
    const file = new URL('../../../test/browser/speed.ts', import.meta.url)
    const { opened, searches, memory } = await done<ConsoleSeen>(file, job, say)
    for (const [what, times] of Object.entries(opened))
      atMost(`${what}, with the processor slowed down 4 times`, median(times), MOST_MS_TO_OPEN, ' ms')
    for (const { term, shownAfter, answer, calls } of searches) {
      const also = `, beside ${shown(answer)} ms of the answer`
      atMost(`“${term}”: from the last key until it is shown`, shownAfter, MOST_MS_OF_A_SEARCH, ' ms', also)
      atMost(`“${term}”: calls`, calls, 1)
    }
    const [first, last] = [memory[0], memory.at(-1)]
    for (const { pages, bytes, nodes } of memory)
      info(`memory after ${pages} pages`, `${shown(bytes / 1e6)} MB, ${nodes} nodes`)
    if (first && last)
      atMost(`memory after ${last.pages} ÷ ${first.pages} pages`, last.bytes / first.bytes, MOST_GROWTH)
  } finally {
    await service.stop()
  }
}
