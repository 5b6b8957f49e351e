import { useState } from 'preact/hooks'
import { type Choice, changesOf, type Difference, differences, merged } from './merge.ts'
import { codeOf } from './problem.ts'
import { useAction } from './useAction.ts'

/** A version of a record: the fields that a form edits, and its tag. */
export type Version<T> = { value: T; etag: string }

type Options<T> = {
  /** What the form begins with. */
  version: Version<T>
  /** Saves these fields, if the record still has this tag. */
  save: (changes: Partial<T>, etag: string) => Promise<unknown>
  /** Reads the record, after somebody else has changed it. */
  read: () => Promise<Version<T>>
  onSaved: () => void
}

/**
 * An edit of one record. What others have saved meanwhile is never lost: `conflict` holds what <Conflict> shows then. Saving without a
 * change calls `onSaved`, and nothing else.
 */
export function useEdit<T extends Record<string, unknown>>({ version, save, read, onSaved }: Options<T>) {
  const [before] = useState(version)
  const [value, setValue] = useState(before.value)
  const [theirs, setTheirs] = useState<Version<T>>()
  const { run, isBusy, problem, forget } = useAction()
  const saveAs = async (from: Version<T>, to: T) => {
    const changes = changesOf(from.value, to)
    try {
      if (Object.keys(changes).length > 0) await save(changes, from.etag)
    } catch (error) {
      if (codeOf(error) !== 'PRECONDITION_FAILED') throw error
      return setTheirs(await read())
    }
    onSaved()
  }
  const fields = theirs ? differences(before.value, value, theirs.value) : []
  const conflict = theirs && {
    key: theirs.etag,
    differences: fields,
    onMerge: (choices: Record<string, Choice>) => saveAs(theirs, merged(theirs.value, fields as Difference[], choices)),
    onClose: () => setTheirs(undefined),
  }
  return {
    value,
    set: (part: Partial<T>) => setValue((now) => ({ ...now, ...part })),
    hasUnsaved: Object.keys(changesOf(before.value, value)).length > 0,
    submit: () => run(() => saveAs(before, value)),
    conflict,
    isBusy,
    problem,
    /** Drops the problem of the last attempt. */
    forget,
  }
}
