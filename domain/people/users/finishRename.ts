import { chunksOf, inParallel } from '../../base/parallel.ts'
import { succeeded } from '../../table/actions.ts'
import { assignmentsOf, idOfWork, isAssignment } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { endWork } from '../../table/work.ts'
import type { Entry } from '../../table/workKinds.ts'
import { inSteps, isShortOfTime, type Work } from '../../work/steps.ts'
import { hasNameOf, renamed } from '../records/renames.ts'
import { readUser } from '../records/user.ts'

/** Assignments moved in one transaction. */
const ASSIGNMENTS_PER_TRANSACTION = 25
const TRANSACTIONS_AT_ONCE = 8

/**
 * Moves all assignments of a user to where they belong under the user's present name, as far as there is time, and removes the
 * entry when all have moved. May be repeated, and two may run at once: each reads the name again at its end, and goes on
 * if it has changed.
 */
export async function finishRename(work: Work, entry: Entry<'rename'>): Promise<void> {
  const { store, now } = work
  const id = idOfWork(entry)
  await inSteps(work, entry, async () => {
    const [user, found] = await Promise.all([readUser(store, id, now), all(store, assignmentsOf(id))])
    const stale = user ? found.filter((item) => isAssignment(item) && !hasNameOf(item, user)) : []
    if (!user || stale.length === 0) {
      // If another rename was noted since, this entry is newer and stays.
      await succeeded(store.write([endWork(entry, { version: entry.version })]))
      return undefined
    }
    await inParallel(TRANSACTIONS_AT_ONCE, chunksOf(stale, ASSIGNMENTS_PER_TRANSACTION), async (part) => {
      // If one of them was removed or changed meanwhile, the next step decides.
      if (!isShortOfTime(work)) await succeeded(store.write(part.map((item) => renamed(item, user))))
    })
    return entry
  })
}
