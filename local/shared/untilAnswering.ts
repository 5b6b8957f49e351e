import { setTimeout } from 'node:timers/promises'

type Waiting = {
  url: string
  /** Settles when the server has ended. */
  ended: Promise<unknown>
  seconds: number
}

/** Waits until a server gives any answer; false if it has ended or does not answer in time. */
export const untilAnswering = async ({ url, ended, seconds }: Waiting): Promise<boolean> => {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const deadline = Date.now() + seconds * 1_000
  while (!isOver && Date.now() < deadline) {
    const isUp = await fetch(url).then(Boolean, () => false)
    if (isUp) return true
    await setTimeout(50)
  }
  return false
}
