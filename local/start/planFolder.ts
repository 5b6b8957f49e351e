import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the files of plans are kept on this machine, until they are checked. */
type PlanFolder = { folder: string; stop: () => Promise<void> }

/** As the bucket of a stack does, for plans whose files were left behind. */
const KEPT_MS = 2 * 86_400_000

/** A folder beside the data of the database, or, without one, a temporary folder that ends with the service. */
export async function openPlanFolder(dataDir: string | undefined): Promise<PlanFolder> {
  if (!dataDir) {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-plans-'))
    return { folder, stop: () => rm(folder, { recursive: true, force: true }) }
  }
  const folder = join(dataDir, 'plan-files')
  await mkdir(folder, { recursive: true })
  for (const plan of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, plan))
    if (mtimeMs < Date.now() - KEPT_MS) await rm(join(folder, plan), { recursive: true })
  }
  return { folder, stop: async () => {} }
}
