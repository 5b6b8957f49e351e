import { findValues, typedValue } from '../data/values.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  name: string
  label: string
  hint?: string
  fault?: string | undefined
  isRequired?: boolean
  /** The technical name of the attribute. */
  attribute: string
  value: string
  onValue: (value: string) => void
}

/** A value of an attribute: those that people have are suggested, and any other can be typed. */
export function AttributeValue({ attribute, value, onValue, ...field }: Properties) {
  const texts = useTexts()
  return (
    <Combobox
      key={attribute}
      {...field}
      value={typedValue(value)}
      onValue={(option) => onValue(option?.value ?? '')}
      search={(text, signal) => findValues(text, { field: `ATTRIBUTE:${attribute}`, texts }, signal)}
      typed={typedValue}
    />
  )
}
