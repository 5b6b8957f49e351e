import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { Dialog } from './Dialog.tsx'
import { Form } from './Form.tsx'

/** What the fields of the dialog show, and how they change it. */
export type Edited<T> = { value: T; set: (part: Partial<T>) => void; faults: ReadonlyMap<string, string> }

type Properties<T extends object> = {
  title: string
  /** The text of the button. */
  action: string
  isWide?: boolean
  /** What the fields show at first. */
  empty: T
  /** The names of the fields, as the service calls them. */
  names: readonly string[]
  /** What is missing, in words, by the name of the field. */
  missingIn: (value: T, texts: Texts) => Record<string, string | false>
  create: (value: T) => Promise<unknown>
  onClose: () => void
  children: (edited: Edited<T>) => ComponentChildren
}

/** A dialog that creates something. Faults stand beside the fields. */
export function NewDialog<T extends object>(properties: Properties<T>) {
  const { title, action, isWide = false, empty, names, missingIn, create, onClose, children } = properties
  const texts = useTexts()
  const [value, setValue] = useState(empty)
  const [missing, setMissing] = useState<[string, string][]>([])
  const { run, isBusy, problem, forget } = useAction()
  const faults = useMemo(
    () => new Map([...missing, ...faultsByField(problem, names, texts)]),
    [missing, problem, names, texts],
  )
  const check = () => {
    forget()
    const found = Object.entries(missingIn(value, texts)).flatMap(([name, words]): [string, string][] =>
      words ? [[name, words]] : [],
    )
    setMissing(found)
    return found.length === 0
  }
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <Form
        check={check}
        onSubmit={() => run(() => create(value))}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        actions={
          <>
            <button type="button" onClick={onClose}>
              {texts.common.cancel}
            </button>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {action}
            </button>
          </>
        }
      >
        {children({ value, set: (part) => setValue((now) => ({ ...now, ...part })), faults })}
      </Form>
    </Dialog>
  )
}
