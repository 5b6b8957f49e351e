import { isPast } from '../base/moments.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/store.ts'
import { closeDoor } from './door.ts'
import type { ImportContext } from './importContext.ts'
import { clearUnfinished } from './unfinished.ts'

/** Opens the door that an import left closed which died, when it has cleared away what that has left behind it. */
export async function clearAbandoned(context: ImportContext): Promise<void> {
  const shards = await all(context.store, { ...keys.userCounts, consistent: true })
  if (!shards.some(({ closed_until }) => isPast(closed_until as string | undefined, context.now))) return
  const door = await closeDoor(context)
  await door.open(() => clearUnfinished(context))
}
