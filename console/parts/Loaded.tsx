import type { ComponentChildren } from 'preact'
import type { Read } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { Problem } from './Problem.tsx'

/** What has been read, or that it is being read, or why it cannot be. */
export function Loaded<T>({ read, children }: { read: Read<T>; children: (data: T) => ComponentChildren }) {
  const texts = useTexts()
  if (read.problem !== undefined)
    return <Problem problem={read.problem} title={texts.problems.notLoaded} again={read.again} />
  if (read.data === undefined) return read.isLoading ? <p class="loading">{texts.common.loading}</p> : null
  return <div aria-busy={read.isOld || undefined}>{children(read.data)}</div>
}
