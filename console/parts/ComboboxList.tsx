import type { Option } from '../data/choices.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { Combobox } from './Combobox.tsx'

type Properties = {
  name: string
  label: string
  hint?: string | undefined
  fault?: string | undefined
  isRequired?: boolean
  /** What the list of those chosen is called. */
  listLabel: string
  chosen: readonly Option[]
  onChosen: (chosen: readonly Option[]) => void
  /** The most that can be chosen. */
  most: number
  search: (text: string, signal: AbortSignal) => Promise<Option[]>
  typed?: (text: string) => Option | null
  /** Those that cannot be taken out. */
  isKept?: (option: Option) => boolean
}

/** Several of many: each is found by typing, and taken out again by its button. */
export function ComboboxList(properties: Properties) {
  const { name, label, hint, fault, isRequired, listLabel, chosen, onChosen, most, search, typed, isKept } = properties
  const texts = useTexts()
  const add = (options: readonly Option[]) => {
    const all = new Map([...chosen, ...options].map((option) => [option.value, option]))
    if (all.size > most) say(texts.common.atMost(most, all.size - most))
    onChosen([...all.values()].slice(0, most))
  }
  return (
    <div>
      <Combobox
        name={name}
        label={label}
        hint={hint}
        fault={fault}
        isRequired={isRequired ?? false}
        value={null}
        onValue={(option) => option && add([option])}
        onLines={typed && ((lines) => add(lines.flatMap((line) => typed(line) ?? [])))}
        search={search}
        typed={typed}
      />
      {chosen.length > 0 && (
        <ul class="chips" aria-label={listLabel}>
          {chosen.map((option) => (
            <li key={option.value}>
              <span dir="auto">{option.text}</span>
              {!isKept?.(option) && (
                <button
                  type="button"
                  class="icon quiet"
                  aria-label={texts.common.remove(option.text)}
                  onClick={() => onChosen(chosen.filter((one) => one !== option))}
                >
                  <span aria-hidden="true">×</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
