// Since when what was sent can be sent again. Pure.
import { dayBefore } from '../history/historyQuery.ts'
import type { Texts } from '../texts/texts.ts'

/** The service sends again at most 31 days: one more would not reach until today. */
export const mostDaysAgo = 30

/** Why nothing can be sent again since this day; false if it can. */
export function faultOfReplay(from: string, { problems, connections }: Texts, now = new Date()): string | false {
  if (!from) return problems.required
  if (from > dayBefore(0, now)) return connections.replayToCome
  return from < dayBefore(mostDaysAgo, now) && connections.replayTooEarly(mostDaysAgo)
}
