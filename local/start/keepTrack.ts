type Stoppable = {
  name: string
  stop: () => Promise<void>
  /** Settles when it has ended by itself. */
  ended?: Promise<unknown>
}

/** Everything that has been started. One call ends all of it, the last one first. */
export const keepTrack = (onUnexpectedEnd: (name: string) => void) => {
  const running: Stoppable[] = []
  let isStopping = false
  return {
    add: <T extends Omit<Stoppable, 'name'>>(name: string, started: T): T => {
      running.push({ name, ...started })
      void started.ended?.then(() => {
        if (!isStopping) onUnexpectedEnd(name)
      })
      return started
    },
    stopAll: async (): Promise<void> => {
      isStopping = true
      for (const { stop } of running.splice(0).reverse()) await stop()
    },
  }
}
