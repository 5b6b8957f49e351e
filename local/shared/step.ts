/** Prints the current step, and then its duration. A note is a separate line, at most every second. */
export const step = async <T>(what: string, work: (note: (text: string) => void) => Promise<T>): Promise<T> => {
  const startedAt = performance.now()
  let notedAt = startedAt
  console.log(`${what} …`)
  const result = await work((text) => {
    if (performance.now() - notedAt < millisecondsBetween) return
    notedAt = performance.now()
    console.log(`  ${text}`)
  })
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  // Steps can overlap, so the line names the finished step again.
  console.log(`  ${what.split(/[,(]/)[0]?.trim()}: done in ${seconds} s`)
  return result
}

const millisecondsBetween = 1_000
