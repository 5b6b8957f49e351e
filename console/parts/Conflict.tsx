import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { type Choice, type Difference, naturalChoice } from '../data/merge.ts'
import { useAction } from '../data/useAction.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog, DialogActions } from './Dialog.tsx'
import { type ChangedRecord, LastChange } from './LastChange.tsx'
import { Problem } from './Problem.tsx'

type Properties = {
  differences: readonly Difference[]
  /** What two people have changed. */
  record: ChangedRecord
  /** When the other version was saved. */
  changedAt?: string | undefined
  /** What a field is called, and how its values read. */
  nameOf: (field: string) => string
  show: (field: string, value: unknown) => ComponentChildren
  /** Saves with what was chosen for each field. */
  onMerge: (choices: Record<string, Choice>) => Promise<unknown>
  onClose: () => void
}

/** Both versions of a record side by side: which one is kept is chosen field by field. */
export function Conflict({ record, changedAt, differences, nameOf, show, onMerge, onClose }: Properties) {
  const texts = useTexts()
  const [choices, setChoices] = useState<Record<string, Choice>>(() =>
    Object.fromEntries(
      differences.flatMap((one) => {
        const choice = naturalChoice(one)
        return choice ? [[one.field, choice]] : []
      }),
    ),
  )
  const [isIncomplete, setIncomplete] = useState(false)
  const fields = useRef<HTMLDivElement>(null)
  const { run, isBusy, problem } = useAction()
  const save = () => {
    const missing = differences.find(({ field }) => !choices[field])
    if (!missing) return run(() => onMerge(choices))
    setIncomplete(true)
    fields.current?.querySelector<HTMLInputElement>('fieldset:not(:has(:checked)) input')?.focus()
    return undefined
  }
  return (
    <Dialog title={texts.conflict.title} onClose={onClose} isWide>
      <LastChange record={record} changedAt={changedAt} />
      <p>{texts.conflict.intro}</p>
      <div class="stack" ref={fields}>
        {differences.map((one) => (
          <Versions
            key={one.field}
            name={nameOf(one.field)}
            difference={one}
            show={show}
            choice={choices[one.field]}
            isMissing={isIncomplete && !choices[one.field]}
            onChoice={(choice) => setChoices({ ...choices, [one.field]: choice })}
          />
        ))}
      </div>
      {isIncomplete && differences.some(({ field }) => !choices[field]) && (
        <p class="fault" role="alert">
          {texts.conflict.choose}
        </p>
      )}
      <Problem problem={problem} />
      <DialogActions action={texts.conflict.merge} onAction={save} isBusy={isBusy} onClose={onClose} />
    </Dialog>
  )
}

type VersionsProperties = Pick<Properties, 'show'> & {
  name: string
  difference: Difference
  choice: Choice | undefined
  /** Saving waits for a choice here. */
  isMissing: boolean
  onChoice: (choice: Choice) => void
}

function Versions({ name, difference, show, choice, isMissing, onChoice }: VersionsProperties) {
  const texts = useTexts()
  const group = useId()
  const { field, before, mine, theirs } = difference
  const option = (side: Choice, title: string, value: unknown) => (
    <label class={choice === side ? 'version chosen' : 'version'}>
      <span class="version-title">
        <input type="radio" name={group} checked={choice === side} onChange={() => onChoice(side)} />
        {title}
      </span>
      <span class="version-value" dir="auto">
        {show(field, value) || texts.conflict.empty}
      </span>
    </label>
  )
  return (
    <fieldset class={isMissing ? 'versions missing' : 'versions'}>
      <legend>
        {name}
        {isMissing && <span class="fault"> {texts.conflict.chooseHere}</span>}
      </legend>
      {option('MINE', texts.conflict.mine, mine)}
      {option('THEIRS', texts.conflict.theirs, theirs)}
      <p class="hint">
        {texts.conflict.before}: {show(field, before) || texts.conflict.empty}
      </p>
    </fieldset>
  )
}
