import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { RollcallError } from './api.ts'
import { report } from './report.ts'

export type Read<T> = {
  /** The last answer. While another one is on its way it stays, and `isOld` is true. */
  data: T | undefined
  /** Why there is no answer, or none to the last call: then the data is that of the one before. */
  problem: unknown
  isLoading: boolean
  isOld: boolean
  /** Reads once more; the present data stays until the answer is there. */
  again: () => void
  /** Shows what a change has answered, without reading it. */
  show(data: T): void
}

/** A part of what was read. */
export type Reading<T> = Omit<Read<T>, 'show'>

export type State<T> = { key: string | null; data?: T; problem?: unknown; isLoading: boolean }

/**
 * Reads when `key` changes: it names what is read, filters and page included. With null nothing is read. An answer that has been
 * overtaken by a newer key is never shown, and its call is ended. If reading the same once more fails, the data stays. `keep`: whether
 * the data of the last key is shown until the next is there.
 */
export function useRead<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  { keep = true }: { keep?: boolean } = {},
): Read<T> {
  const [state, setState] = useState<State<T>>({ key, isLoading: key !== null })
  const [round, setRound] = useState(0)
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    if (key === null) return setState({ key, isLoading: false })
    const ending = new AbortController()
    setState((before) => {
      const isShown = keep || before.key === key
      return {
        key: before.key,
        isLoading: true,
        ...(isShown && before.data !== undefined ? { data: before.data, problem: before.problem } : {}),
      }
    })
    latest.current(ending.signal).then(
      (data) => ending.signal.aborted || setState({ key, data, isLoading: false }),
      (problem: unknown) => {
        if (ending.signal.aborted) return
        report(problem)
        setState((before) => failed(before, key, problem))
      },
    )
    return () => ending.abort()
  }, [key, round, keep])
  const again = useCallback(() => setRound((before) => before + 1), [])
  const show = useCallback((data: T) => setState({ key, data, isLoading: false }), [key])
  const isOfKey = state.key === key
  return {
    data: keep || isOfKey ? state.data : undefined,
    problem: isOfKey ? state.problem : undefined,
    isLoading: state.isLoading || (!isOfKey && key !== null),
    isOld: state.data !== undefined && (!isOfKey || state.isLoading),
    again,
    show,
  }
}

/** What is shown after a call that failed. What people look at stays, and so do forms in it, unless it is gone or refused. */
export function failed<T>(before: State<T>, key: string, problem: unknown): State<T> {
  const isGone = problem instanceof RollcallError && (problem.status === 403 || problem.status === 404)
  const stays = before.key === key && before.data !== undefined && !isGone
  return { key, problem, isLoading: false, ...(stays ? { data: before.data } : {}) }
}

/** Calls `again` for work that goes on: soon, as most work is short, then every two seconds. A page in the background waits. */
export function useRepeat(isGoing: boolean, again: () => void): void {
  useEffect(() => {
    if (!isGoing) return
    let timer: ReturnType<typeof setTimeout>
    const wait = (ms: number) => {
      timer = setTimeout(() => {
        if (!document.hidden) again()
        wait(Math.min(2 * ms, 2_000))
      }, ms)
    }
    wait(400)
    return () => clearTimeout(timer)
  }, [isGoing, again])
}

/** Calls `again` each time that somebody comes back to the page from another window or tab. */
export function useReturn(again: () => void): void {
  useEffect(() => {
    window.addEventListener('focus', again)
    return () => window.removeEventListener('focus', again)
  }, [again])
}

/** The value once it has not changed for `ms`: one call per pause of the keys. */
export function useSettled<T>(value: T, ms = 200): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
