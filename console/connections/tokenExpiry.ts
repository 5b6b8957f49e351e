// When a token ends, as the reader should know it. Pure.

const soonMs = 30 * 24 * 60 * 60 * 1000

/** Whether a token has expired, expires within 30 days, or later. */
export function expiryOf(expiresAt: string, now = Date.now()): 'OVER' | 'SOON' | 'LATER' {
  const left = Date.parse(expiresAt) - now
  if (left < 0) return 'OVER'
  return left < soonMs ? 'SOON' : 'LATER'
}
