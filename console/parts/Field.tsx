import { type ComponentChildren, createContext, type InputHTMLAttributes } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { type Texts, useTexts } from '../texts/texts.ts'

/** Names and ids of the controls that have changed since the form was sent: what was wrong with them says nothing about them now. */
export const Mended = createContext<ReadonlySet<string>>(new Set())

/** What is wrong with the control of a name, unless it has changed since. */
export function useFault(name: string, fault: string | undefined): string | undefined {
  return useContext(Mended).has(name) ? undefined : fault
}

type Given = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type Properties = {
  label: string
  hint?: string | undefined
  /** What is wrong with the value. */
  fault?: string | undefined
  isRequired?: boolean
  /** The control; it takes what it is given, so that label, hint and fault belong to it. */
  children: (given: Given) => ComponentChildren
}

/** A label with its control, what to put there, and what is wrong with it. */
export function Field({ label, hint, fault: found, isRequired = false, children }: Properties) {
  const texts = useTexts()
  const id = useId()
  const fault = useFault(id, found)
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && <span class="required"> ({texts.common.required})</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': fault ? true : undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

type TextProperties = Omit<Properties, 'children'> & {
  name: string
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'email' | 'date' | 'tel' | 'search' | 'number' | 'time' | 'url'
  /** The most characters. */
  max?: number
  /** The least and the most that a number may be. */
  range?: readonly [number, number]
  /** More than one line. */
  rows?: number
  autocomplete?: 'off'
}

/** A field for text. */
export function TextField(properties: TextProperties) {
  const { name, value, onValue, type = 'text', max, range, rows, autocomplete, ...field } = properties
  const texts = useTexts()
  const [isUnfit, setUnfit] = useState(false)
  return (
    <Field {...field} fault={field.fault ?? (isUnfit ? wordsForUnfit(type, range, texts) : undefined)}>
      {(given) => {
        const common = {
          ...given,
          name,
          value,
          maxLength: max,
          required: field.isRequired,
          dir: 'auto' as const,
          onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
            setUnfit(false)
            onValue(currentTarget.value)
          },
        }
        if (rows) return <textarea {...common} rows={rows} />
        const [least, most] = range ?? []
        const attributes = {
          ...common,
          type,
          autocomplete,
          min: least,
          max: most,
        } as InputHTMLAttributes<HTMLInputElement>
        return <input {...attributes} onInvalid={() => setUnfit(true)} />
      }}
    </Field>
  )
}

/**
 * Whether what is typed cannot be what the field takes, such as a date that does not exist, or a group that is not there: the service need not be asked. What is missing
 * is for the form to say. Addresses of e-mail may have any letters before the @, which browsers do not know.
 */
export function isUnfit(control: Element): boolean {
  if (!(control instanceof HTMLInputElement)) return false
  const { badInput, customError, typeMismatch, rangeOverflow, rangeUnderflow, stepMismatch, valueMissing } =
    control.validity
  const isMismatch = typeMismatch && !(control.type === 'email' && /^[^\s@]+@[^\s@]+$/.test(control.value))
  // An empty number or time says best what it takes.
  const isEmpty = valueMissing && (control.type === 'number' || control.type === 'time')
  return badInput || customError || isMismatch || isEmpty || rangeOverflow || rangeUnderflow || stepMismatch
}

function wordsForUnfit(type: TextProperties['type'], range: TextProperties['range'], { problems }: Texts): string {
  if (type === 'email') return problems.notAnEmail
  if (type === 'url') return problems.notAnAddress
  if (type === 'time') return problems.notATime
  return range ? problems.notInRange(...range) : problems.notADate
}

type SelectProperties<T extends string> = Omit<Properties, 'children'> & {
  name: string
  value: T
  onValue: (value: T) => void
  options: readonly { value: T; text: string }[]
}

/** A field that offers a few values. */
export function SelectField<T extends string>({ name, value, onValue, options, ...field }: SelectProperties<T>) {
  return (
    <Field {...field}>
      {(given) => (
        <select
          {...given}
          name={name}
          required={field.isRequired}
          onChange={({ currentTarget }) => onValue(currentTarget.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type CheckProperties = { label: string; isChecked: boolean; onChecked: (isChecked: boolean) => void }

/** A checkbox with its label. */
export function Check({ label, isChecked, onChecked }: CheckProperties) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={({ currentTarget }) => onChecked(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

type GroupProperties = { name: string; legend: string; fault: string | undefined; children: ComponentChildren }

/** Several controls that can be wrong together. */
export function FieldGroup({ name, legend, fault: found, children }: GroupProperties) {
  const fault = useFault(name, found)
  return (
    <fieldset name={name}>
      <legend>{legend}</legend>
      {children}
      {fault && <p class="fault">{fault}</p>}
    </fieldset>
  )
}
