// A text field with suggestions, by the pattern "editable combobox with list autocomplete" of the ARIA Authoring Practices.
import { useId, useRef, useState } from 'preact/hooks'
import type { Option } from '../data/choices.ts'
import { useRead, useSettled } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { Field } from './Field.tsx'

type Properties = {
  label: string
  hint?: string | undefined
  fault?: string | undefined
  name: string
  isRequired?: boolean
  /** What is chosen. */
  value: Option | null
  onValue: (option: Option | null) => void
  /** Finds what matches a text; '' for the first suggestions. */
  search: (text: string, signal: AbortSignal) => Promise<Option[]>
  /** What a text stands for that is typed and not chosen, if it stands for something; `search` offers it, too. */
  typed?: ((text: string) => Option | null) | undefined
  /** Takes several lines that are pasted at once. */
  onLines?: ((lines: readonly string[]) => void) | undefined
}

/** Choosing one of many by typing a part of its name. */
export function Combobox(properties: Properties) {
  const { label, hint, fault, name, isRequired = false, value, onValue, search, typed, onLines } = properties
  const texts = useTexts()
  const list = useId()
  const [text, setText] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const wanted = useSettled(text ?? '')
  const read = useRead(isOpen ? wanted : null, (signal) => search(wanted, signal))
  const options = isOpen ? (read.data ?? []) : []
  // Enter must not choose from the suggestions for an earlier text.
  const isWaiting = isOpen && (wanted !== (text ?? '') || read.isLoading)
  const input = useRef<HTMLInputElement>(null)

  const close = () => {
    setOpen(false)
    setText(null)
  }
  const choose = (option: Option | undefined) => {
    if (option) onValue(option)
    close()
  }
  /** What is typed counts where it stands for something; else it is dropped. */
  const leave = () => choose((text && typed?.(text)) || undefined)
  const move = (step: number) => {
    if (!isOpen) return setOpen(true)
    setActive((before) => (before + step + options.length) % Math.max(1, options.length))
  }
  const keys: Record<string, () => unknown> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => (isWaiting ? active === 0 && typed && leave() : choose(options[active])),
    Escape: close,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key]
    // Enter and Escape belong to the form or dialog while there is no list.
    if (!act || (!isOpen && (event.key === 'Enter' || event.key === 'Escape'))) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <Field label={label} hint={hint} fault={fault} isRequired={isRequired}>
      {(given) => (
        <div class="combobox">
          <input
            {...given}
            ref={input}
            name={name}
            role="combobox"
            type="text"
            autocomplete="off"
            dir="auto"
            required={isRequired}
            aria-expanded={isOpen}
            aria-busy={isWaiting}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && options[active] ? `${list}-${active}` : undefined}
            placeholder={texts.common.choose}
            value={text ?? value?.text ?? ''}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              setActive(0)
              setOpen(true)
              if (currentTarget.value === '') onValue(null)
            }}
            onClick={() => setOpen(true)}
            onBlur={leave}
            onPaste={(event) => {
              const lines =
                event.clipboardData
                  ?.getData('text')
                  .split(/[\r\n\t]+/)
                  .filter(Boolean) ?? []
              if (!onLines || lines.length < 2) return
              event.preventDefault()
              onLines(lines)
            }}
            onKeyDown={onKeyDown}
          />
          <div class="combobox-list" id={list} role="listbox" aria-label={label} hidden={!isOpen}>
            {options.map((option, n) => (
              // The keys act on the field, which keeps the focus.
              <div
                key={option.value}
                id={`${list}-${n}`}
                role="option"
                tabIndex={-1}
                aria-selected={n === active}
                onMouseDown={(event) => {
                  event.preventDefault()
                  choose(option)
                }}
              >
                <span dir="auto">{option.text}</span>
                {option.note && <span class="note">{option.note}</span>}
              </div>
            ))}
          </div>
          <div class="visually-hidden" role="status">
            {isOpen && read.data && !isWaiting ? texts.common.options(options.length) : ''}
          </div>
          {isOpen && read.data && options.length === 0 && !isWaiting && (
            <p class="combobox-none">{texts.common.noOption}</p>
          )}
        </div>
      )}
    </Field>
  )
}
