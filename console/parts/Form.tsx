import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { askBeforeLeaving } from '../address.ts'
import { useTexts } from '../texts/texts.ts'
import { isUnfit } from './Field.tsx'
import { Problem, SupportDetails } from './Problem.tsx'

type Properties = {
  /** Saves. Called once at a time. */
  onSubmit: () => unknown
  isBusy?: boolean
  problem?: unknown
  /** Faults by the name of the field. The first one gets the focus. */
  faults?: ReadonlyMap<string, string>
  /** Whether something would be lost by leaving. */
  hasUnsaved?: boolean
  /** Whether the first field gets the focus: of a form that somebody has opened. */
  isOpened?: boolean
  children: ComponentChildren
  /** The buttons. */
  actions: ComponentChildren
}

/** A form: Enter saves, what is wrong gets the focus, and nobody leaves with unsaved text by mistake. */
export function Form(properties: Properties) {
  const { onSubmit, isBusy, problem, faults, hasUnsaved = false, isOpened = false, children, actions } = properties
  const texts = useTexts()
  const form = useRef<HTMLFormElement>(null)
  const unsaved = useRef(hasUnsaved)
  unsaved.current = hasUnsaved
  useEffect(() => askBeforeLeaving(texts.common.unsaved, () => unsaved.current), [texts])
  useEffect(() => {
    if (isOpened) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [isOpened])
  useEffect(() => {
    const [first] = faults?.keys() ?? []
    const control = first === undefined ? undefined : form.current?.elements.namedItem(first)
    if (control instanceof HTMLElement) focusOn(control)
  }, [faults])
  const submit = () => {
    if (!showUnfit(form.current)) onSubmit()
  }
  return (
    <form
      ref={form}
      novalidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      {children}
      {faults?.size ? (
        <>
          <p class="fault" role="alert">
            {texts.problems.fields(faults.size)}
          </p>
          <SupportDetails problem={problem} />
        </>
      ) : (
        <Problem problem={problem} />
      )}
      <div class="form-actions">{actions}</div>
    </form>
  )
}

/** Whether something in a form or dialog cannot be sent. Each such field then says what it takes, and the first one gets the focus. */
export function showUnfit(within: HTMLElement | null | undefined): boolean {
  const unfit = [...(within?.querySelectorAll('input') ?? [])].filter(isUnfit)
  for (const control of unfit) control.dispatchEvent(new Event('invalid'))
  const [first] = unfit
  if (first) focusOn(first)
  return first !== undefined
}

/** Gives a field the focus, also one of the choices that are folded up. */
function focusOn(control: HTMLElement): void {
  const folded = control.closest('details')
  if (folded) folded.open = true
  control.focus()
}
