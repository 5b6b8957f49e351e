import { useState } from 'preact/hooks'
import { type Choice, changesOf, type Difference, differences, merged } from './merge.ts'
import { codeOf } from './problem.ts'
import { useAction } from './useAction.ts'

/** A version of a record: the fields that a form edits, its tag, and when it was saved, if the record says so. */
export type Version<T> = { value: T; etag: string; changedAt?: string }

type Options<T> = {
  /** What the form begins with. A later version takes its place as long as nothing is changed. */
  version: Version<T>
  /** Saves these fields, if the record still has this tag. */
  save: (changes: Partial<T>, etag: string) => Promise<unknown>
  /** Reads the record, after somebody else has changed it. */
  read: () => Promise<Version<T>>
  onSaved: () => void
}

/**
 * An edit of one record. It keeps the tag that it began with while the record is read again in the background. What others have saved
 * meanwhile is never lost: `conflict` holds what <Conflict> shows then. Saving without a change calls `onSaved`, and nothing else.
 */
export function useEdit<T extends Record<string, unknown>>({ version, save, read, onSaved }: Options<T>) {
  const [before, setBefore] = useState(version)
  const [value, setValue] = useState(before.value)
  const [theirs, setTheirs] = useState<Version<T>>()
  const { run, isBusy, problem, forget } = useAction()
  const hasUnsaved = hasChanged(before.value, value)
  if (version.etag !== before.etag && !hasUnsaved) {
    setBefore(version)
    setValue(version.value)
  }
  const saveAs = async (from: Version<T>, to: T): Promise<void> => {
    try {
      if (hasChanged(from.value, to)) await save(changesOf(from.value, to), from.etag)
    } catch (error) {
      if (codeOf(error) !== 'PRECONDITION_FAILED') throw error
      const now = await read()
      return isSameBesides(from, now) ? saveAs(now, to) : setTheirs(now)
    }
    // The form may stay open: it begins anew, and takes the version that is read next.
    setBefore({ value: to, etag: from.etag })
    setValue(to)
    setTheirs(undefined)
    onSaved()
  }
  const fields = theirs ? differences(before.value, value, theirs.value) : []
  const conflict = theirs && {
    key: theirs.etag,
    changedAt: theirs.changedAt,
    differences: fields,
    onMerge: (choices: Record<string, Choice>) => saveAs(theirs, merged(theirs.value, fields as Difference[], choices)),
    onClose: () => setTheirs(undefined),
  }
  return {
    value,
    set: (part: Partial<T>) => setValue((now) => ({ ...now, ...part })),
    hasUnsaved,
    submit: () => run(() => saveAs(before, value)),
    conflict,
    isBusy,
    problem,
    /** Drops the problem of the last attempt. */
    forget,
  }
}

/** Whether only something else of the record has changed: then there is nothing to compare. */
const isSameBesides = <T extends Record<string, unknown>>(from: Version<T>, now: Version<T>): boolean =>
  now.etag !== from.etag && !hasChanged(from.value, now.value)

const hasChanged = <T extends Record<string, unknown>>(before: T, after: T): boolean =>
  Object.keys(changesOf(before, after)).length > 0
