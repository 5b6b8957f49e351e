import { useCallback, useRef, useState } from 'preact/hooks'
import { readIfOutdated } from './problem.ts'
import { report } from './report.ts'

/**
 * A change that somebody asks for. `run` carries it out once: while it runs, asking again does nothing. Its problem stays until the next
 * attempt or `forget`. `again` reads the record once more if somebody else has changed it meanwhile. `run` answers whether it succeeded.
 */
export function useAction(again?: () => void) {
  const [state, setState] = useState<{ isBusy: boolean; problem?: unknown }>({ isBusy: false })
  const isRunning = useRef(false)
  const latest = useRef(again)
  latest.current = again
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isRunning.current) return false
    isRunning.current = true
    setState({ isBusy: true })
    try {
      await work()
      setState({ isBusy: false })
      return true
    } catch (problem) {
      report(problem)
      readIfOutdated(problem, latest.current)
      setState({ isBusy: false, problem })
      return false
    } finally {
      isRunning.current = false
    }
  }, [])
  const forget = useCallback(() => setState({ isBusy: false }), [])
  return { ...state, run, forget }
}
