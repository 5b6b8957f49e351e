import type { ComponentChildren } from 'preact'
import type { Reading } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { Problem } from './Problem.tsx'

/** What has been read, or that it is being read, or why it cannot be. */
export function Loaded<T>({ read, children }: { read: Reading<T>; children: (data: T) => ComponentChildren }) {
  const texts = useTexts()
  if (read.data !== undefined)
    return (
      <div aria-busy={read.isOld || undefined}>
        <NotCurrent read={read} />
        {children(read.data)}
      </div>
    )
  if (read.problem !== undefined)
    return <Problem problem={read.problem} title={texts.problems.notLoaded} again={read.again} />
  return read.isLoading ? <p class="loading">{texts.common.loading}</p> : null
}

/** Says that what is shown could not be read again, if that is so. */
export function NotCurrent<T>({ read }: { read: Reading<T> }) {
  const texts = useTexts()
  if (read.data === undefined) return null
  return <Problem problem={read.problem} title={texts.problems.notCurrent} again={read.again} />
}
