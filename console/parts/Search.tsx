import { useEffect, useRef, useState } from 'preact/hooks'
import { changeQuery } from '../address.ts'
import { useSettled } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { Field } from './Field.tsx'

/** A search that answers while somebody types: one call per pause of the keys. The address holds the words. */
export function Search({ label, hint, query }: { label: string; hint?: string; query: URLSearchParams }) {
  const texts = useTexts()
  const inAddress = query.get('search') ?? ''
  const [typed, setTyped] = useState(inAddress)
  const settled = useSettled(typed)
  const written = useRef(inAddress)
  useEffect(() => {
    if (settled === written.current) return
    written.current = settled
    changeQuery({ search: settled || null, page: null }, { replace: true })
  }, [settled])
  // "Back", or clearing the filters.
  useEffect(() => {
    if (inAddress === written.current) return
    written.current = inAddress
    setTyped(inAddress)
  }, [inAddress])
  return (
    <search class="search">
      <Field label={label} hint={hint}>
        {(given) => (
          <input
            {...given}
            type="search"
            name="search"
            dir="auto"
            maxLength={200}
            autocomplete="off"
            placeholder={texts.common.search}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
    </search>
  )
}
