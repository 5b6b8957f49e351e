import { useEffect, useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { findGroups, type Option } from '../data/choices.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'

/** Choosing one group as the value of a condition, by its title. */
export function GroupValues({
  name,
  values,
  onValues,
}: {
  name: string
  values: string
  onValues: (v: string) => void
}) {
  const texts = useTexts()
  const [chosen, setChosen] = useState<Option | null>(values ? { value: values, text: values } : null)
  useEffect(() => {
    // A stored condition knows the id only.
    if (!values || values.includes('\n') || (chosen?.value === values && chosen.text !== values)) return
    const ending = new AbortController()
    const params = { path: { group_id: values } }
    api.GET('/api/admin/users/v4/user-groups/{group_id}', { params, signal: ending.signal }).then(
      ({ data }) => setChosen({ value: values, text: bestText(data.title, texts) }),
      // The group is gone: its id stays.
      () => {},
    )
    return () => ending.abort()
  }, [values])
  return (
    <Combobox
      name={name}
      label={texts.groups.one}
      isRequired
      value={chosen}
      onValue={(option) => {
        setChosen(option)
        onValues(option?.value ?? '')
      }}
      search={findGroups}
    />
  )
}
