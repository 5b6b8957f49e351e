import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

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
export function Field({ label, hint, fault, isRequired = false, children }: Properties) {
  const texts = useTexts()
  const id = useId()
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
  max?: number
  /** More than one line. */
  rows?: number
  autocomplete?: 'off'
}

/** A field for text. */
export function TextField({ name, value, onValue, type = 'text', max, rows, autocomplete, ...field }: TextProperties) {
  return (
    <Field {...field}>
      {(given) => {
        const common = {
          ...given,
          name,
          value,
          maxLength: max,
          required: field.isRequired,
          dir: 'auto' as const,
          onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onValue(currentTarget.value),
        }
        if (rows) return <textarea {...common} rows={rows} />
        const attributes = { ...common, type, autocomplete } as InputHTMLAttributes<HTMLInputElement>
        return <input {...attributes} />
      }}
    </Field>
  )
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
