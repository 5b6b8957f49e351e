// A text field with suggestions, by the pattern "editable combobox with list autocomplete" of the ARIA Authoring Practices.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { meant, type Option } from '../data/choices.ts'
import { wordsFor } from '../data/problem.ts'
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

/**
 * Choosing one of many by typing a part of its name. A text that names one of them exactly counts as that one. Any other text stays, as a
 * fault that keeps the form from being sent: what somebody has typed must not be lost silently.
 */
export function Combobox(properties: Properties) {
  const { label, hint, fault, name, isRequired = false, value, onValue, search, typed, onLines } = properties
  const texts = useTexts()
  const list = useId()
  const [text, setText] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [isLeft, setLeft] = useState(false)
  const [active, setActive] = useState(0)
  const { isUnchosen, found, isWaiting, hasRead, problem } = useFound(text, isOpen, search)
  const options = isOpen ? found : []
  const input = useRef<HTMLInputElement>(null)

  const close = () => {
    setOpen(false)
    if (!isUnchosen) setText(null)
  }
  const choose = (option: Option | undefined) => {
    if (!option) return
    onValue(option)
    setOpen(false)
    setText(null)
  }
  /** What is typed counts where it stands for something. */
  const leave = () => {
    setLeft(true)
    close()
    choose((isUnchosen && typed?.(text ?? '')) || undefined)
  }
  useLayoutEffect(() => input.current?.setCustomValidity(isUnchosen ? texts.common.chooseFromList : ''))
  const isSettled = isLeft && isUnchosen && !isWaiting
  const exact = isSettled ? meant(found, text ?? '') : undefined
  useLayoutEffect(() => choose(exact), [exact])
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
    <Field
      label={label}
      hint={hint}
      fault={isSettled && !exact ? texts.common.chooseFromList : fault}
      isRequired={isRequired}
    >
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
              setLeft(false)
              setActive(0)
              setOpen(true)
              if (currentTarget.value === '') onValue(null)
            }}
            onClick={() => setOpen(true)}
            onBlur={leave}
            onInvalid={leave}
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
          <Suggestions id={list} label={label} options={options} active={active} isOpen={isOpen} onChoose={choose} />
          <div class="visually-hidden" role="status">
            {isOpen && hasRead && !isWaiting ? texts.common.options(options.length) : ''}
          </div>
          {isOpen && hasRead && options.length === 0 && !isWaiting && (
            <p class="combobox-none">{texts.common.noOption}</p>
          )}
          {isOpen && problem !== undefined && !isWaiting && (
            <p class="combobox-none" role="alert">
              {wordsFor(problem, texts)}
            </p>
          )}
        </div>
      )}
    </Field>
  )
}

/** What is found for a typed text: while the list is open, and as long as it is not known what the text stands for. */
function useFound(text: string | null, isOpen: boolean, search: Properties['search']) {
  const wanted = useSettled(text ?? '')
  const isUnchosen = text !== null && text.trim() !== ''
  const isRead = isOpen || isUnchosen
  const { data, problem, isLoading } = useRead(isRead ? wanted : null, (signal) => search(wanted, signal))
  return {
    isUnchosen,
    found: (isRead && data) || [],
    // Enter must not choose from the suggestions for an earlier text.
    isWaiting: isRead && (wanted !== (text ?? '') || isLoading),
    hasRead: data !== undefined,
    problem,
  }
}

type SuggestionsProperties = {
  id: string
  label: string
  options: readonly Option[]
  active: number
  isOpen: boolean
  onChoose: (option: Option) => void
}

function Suggestions({ id, label, options, active, isOpen, onChoose }: SuggestionsProperties) {
  return (
    <div class="combobox-list" id={id} role="listbox" aria-label={label} hidden={!isOpen}>
      {options.map((option, n) => (
        // The keys act on the field, which keeps the focus.
        <div
          key={option.value}
          id={`${id}-${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === active}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(option)
          }}
        >
          <span dir="auto">{option.text}</span>
          {option.note && <span class="note">{option.note}</span>}
        </div>
      ))}
    </div>
  )
}
