import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dump } from '../../../test/harness/audit.ts'
import type { Bench } from '../figures.ts'
import { done } from '../processes.ts'
import { newWorld } from '../world.ts'
import type { Verified } from './verifyProcess.ts'

const USERS = Number(process.env['BENCH_VERIFIED_USERS'] ?? 1_000_000)
const MOST_MEGABYTES = 512
/** The heap that `npm run verify` gets in package.json: without a limit, garbage piles up. */
const HEAP = ['--max-old-space-size=256']

/** VERIFY: the time and memory to check a table of a million users. The users are generated, in the pages of a scan. */
export async function verifying({ endpoint, say, atMost, info }: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  try {
    const job = { users: USERS, directory: await dump(await newWorld(endpoint)), file: join(folder, 'copy.sqlite') }
    const verified = await done<Verified>(new URL('verifyProcess.ts', import.meta.url), job, say, HEAP)
    const { items, findings, megabytes, seconds } = verified
    atMost(`memory of the check of ${USERS} users`, megabytes, MOST_MEGABYTES, ' MB', `, ${items} items`)
    atMost('findings', findings.length, 0, '', findings.slice(0, 3).join())
    info('time for copy and check', [seconds], ' s')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
