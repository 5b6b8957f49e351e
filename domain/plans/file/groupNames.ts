import { refuseFault } from '../../base/errors.ts'
import { fold } from '../../base/words.ts'
import { type Group, groups } from '../../people/records/group.ts'
import type { Context } from '../../request/context.ts'
import { readCatalogue } from '../../table/catalogues.ts'

// Groups as the rows of a file name them: by id, external id or title.

/** Returns a function that finds the group that a row names. It throws UNKNOWN_USER_GROUP_ID. The groups are read once. */
export function groupFinder(context: Context): (named: string | null) => Promise<string> {
  let finding: Promise<ReturnType<typeof finderIn>> | undefined
  return async (named) => {
    if (named === null) return (await context.organisation()).predefined.ALL_USERS ?? ''
    finding ??= readCatalogue(context.store, groups).then(finderIn)
    return (await finding)(named)
  }
}

/** Finds groups by their names. A title must be that of exactly one active group; case makes no difference. */
export function finderIn(all: readonly Group[]): (named: string) => string {
  const byId = new Map(all.map((group) => [group.id, group]))
  const byExternalId = new Map(all.flatMap((group) => (group.external_id === null ? [] : [[group.external_id, group]])))
  const byTitle = new Map<string, Set<string>>()
  for (const { id, title, status } of all) {
    if (status !== 'ACTIVE') continue
    for (const { text } of title) byTitle.set(fold(text), (byTitle.get(fold(text)) ?? new Set()).add(id))
  }
  return (named) => {
    const group = byId.get(named) ?? byExternalId.get(named)
    if (group) return group.id
    const [id, other] = byTitle.get(fold(named)) ?? []
    if (id === undefined) throw refuseFault('UNKNOWN_USER_GROUP_ID', FIELD, 'must name an active user group')
    if (other !== undefined)
      throw refuseFault('UNKNOWN_USER_GROUP_ID', FIELD, 'is the title of several active user groups')
    return id
  }
}

const FIELD = 'primary_user_group_id'
