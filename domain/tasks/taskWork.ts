/** Whoever begins work on a task does it at once; if he dies, the schedule takes over after this time. */
const GRACE_MS = 60_000

/** When work that begins now is due for the schedule. */
export const dueWork = (now: string): string => new Date(Date.parse(now) + GRACE_MS).toISOString()
