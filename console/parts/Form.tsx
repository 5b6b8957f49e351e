import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { askBeforeLeaving } from '../address.ts'
import { useTexts } from '../texts/texts.ts'
import { isUnfit, Mended } from './Field.tsx'
import { changedBy, stillWrong } from './mended.ts'
import { Problem, SupportDetails } from './Problem.tsx'

type Properties = {
  /** Marks what is missing, and answers whether all is there. Asked together with what the controls themselves find. */
  check?: (() => boolean) | undefined
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
  const {
    check,
    onSubmit,
    isBusy,
    problem,
    faults,
    hasUnsaved = false,
    isOpened = false,
    children,
    actions,
  } = properties
  const texts = useTexts()
  const form = useRef<HTMLFormElement>(null)
  const unsaved = useRef(hasUnsaved)
  unsaved.current = hasUnsaved
  useEffect(() => askBeforeLeaving(texts.common.unsaved, () => unsaved.current), [texts])
  // With the fields, and no moment later, as in Page.
  useLayoutEffect(() => {
    if (isOpened) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [isOpened])
  useLayoutEffect(() => {
    if (faults?.size) focusOnFirst(form.current, (name) => faults.has(name))
  }, [faults])
  const [unfit, setUnfit] = useState<readonly string[]>([])
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set())
  const [judged, setJudged] = useState(faults)
  if (faults !== judged) {
    setJudged(faults)
    setMended(new Set())
  }
  const wrong = stillWrong(faults?.keys() ?? [], unfit, mended)
  const submit = () => {
    setMended(new Set())
    const isComplete = check?.() ?? true
    const found = unfitIn(form.current)
    setUnfit(found.map(({ name }) => name))
    for (const control of found) control.dispatchEvent(new Event('invalid'))
    if (isComplete && found.length === 0) onSubmit()
    else focusOnFirst(form.current, () => false)
  }
  const mend = ({ target }: globalThis.Event) => {
    const control = wrong.size > 0 ? controlAt(target) : undefined
    if (control) setMended((now) => new Set([...now, ...changedBy(control)]))
  }
  return (
    <form
      ref={form}
      novalidate
      onInput={mend}
      onChange={mend}
      onMouseDown={(event) => isOption(event.target) && mend(event)}
      onKeyDownCapture={(event) => isChoosing(event) && mend(event)}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      <Mended.Provider value={mended}>{children}</Mended.Provider>
      {wrong.size > 0 ? (
        <>
          <p class="fault" role="alert">
            {texts.problems.fields(wrong.size)}
          </p>
          <SupportDetails problem={problem} />
        </>
      ) : faults?.size ? null : (
        <Problem problem={problem} />
      )}
      <div class="form-actions">{actions}</div>
    </form>
  )
}

const unfitIn = (within: HTMLElement | null | undefined) =>
  [...(within?.querySelectorAll('input') ?? [])].filter(isUnfit)

/** Whether something in a form or dialog cannot be sent. Each such field then says what it takes, and the first one gets the focus. */
export function showUnfit(within: HTMLElement | null | undefined): boolean {
  const unfit = unfitIn(within)
  for (const control of unfit) control.dispatchEvent(new Event('invalid'))
  const [first] = unfit
  if (first) focusOn(first)
  return first !== undefined
}

/** The first control that is wrong, in the order of the page, gets the focus. */
function focusOnFirst(form: HTMLFormElement | null, isWrong: (name: string) => boolean): void {
  const first = [...(form?.elements ?? [])].find(
    (control) => isUnfit(control) || isWrong(control.getAttribute('name') ?? ''),
  )
  const control =
    first instanceof HTMLFieldSetElement
      ? (first.querySelector(`[name="${first.name}"]`) ?? first.querySelector(controls))
      : first
  if (control instanceof HTMLElement) focusOn(control)
}

const controls = 'input, select, textarea'

/** The control that an event is about, by its names; that of a suggestion is the field that it fills. */
function controlAt(target: EventTarget | null) {
  if (!(target instanceof Element)) return undefined
  const control = target.matches(controls) ? target : target.closest('.field')?.querySelector(controls)
  if (!control) return undefined
  const groups: string[] = []
  for (let one = control.closest('fieldset'); one; one = one.parentElement?.closest('fieldset') ?? null)
    groups.push(one.name)
  return { id: control.id, name: control.getAttribute('name') ?? '', groups }
}

const isOption = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role=option]') !== null

/** Whether a key chooses a suggestion, which is no input. */
const isChoosing = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof Element && target.getAttribute('aria-expanded') === 'true'

/** Gives a field the focus, also one of the choices that are folded up. */
function focusOn(control: HTMLElement): void {
  const folded = control.closest('details')
  if (folded) folded.open = true
  control.focus()
}
