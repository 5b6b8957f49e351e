import { useMemo, useState } from 'preact/hooks'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { EditForm } from './EditForm.tsx'
import type { ChangedRecord } from './LastChange.tsx'
import { isEmptyText, type Localized, LocalizedFields, localizedWords } from './LocalizedFields.tsx'
import type { Edited } from './NewDialog.tsx'

/** What groups, channels and roles are called, and what they are for. */
export type NameAndPurpose = { title: Localized; description: Localized }
export const noName: NameAndPurpose = { title: {}, description: {} }

const most = { title: 120, description: 200 }

export function NameFields({ value, set, faults }: Edited<NameAndPurpose>) {
  const texts = useTexts()
  return (
    <>
      <LocalizedFields
        name="title"
        label={texts.groups.name}
        isRequired
        max={most.title}
        value={value.title}
        onValue={(title) => set({ title })}
        fault={faults.get('title')}
      />
      <LocalizedFields
        name="description"
        label={texts.groups.purpose}
        max={most.description}
        value={value.description}
        onValue={(description) => set({ description })}
        fault={faults.get('description')}
      />
    </>
  )
}

type Properties = {
  /** What is edited, as events call it. */
  record: ChangedRecord
  version: Version<NameAndPurpose>
  save: (changes: Partial<NameAndPurpose>, etag: string) => Promise<unknown>
  read: () => Promise<Version<NameAndPurpose>>
  onEnd: (hasChanged: boolean) => void
}

/** Edits the texts of a record in place. */
export function TextsForm({ record, version, save, read, onEnd }: Properties) {
  const texts = useTexts()
  const [isMissing, setMissing] = useState(false)
  const edit = useEdit<NameAndPurpose>({
    version,
    save,
    read,
    onSaved: () => {
      say(texts.common.saved)
      onEnd(true)
    },
  })
  const { value, set, problem } = edit
  const faults = useMemo(() => {
    const found = faultsByField(problem, ['title', 'description'], texts)
    if (isMissing) found.set('title', texts.problems.required)
    return found
  }, [problem, isMissing, texts])
  return (
    <EditForm
      edit={edit}
      record={record}
      faults={faults}
      check={() => {
        setMissing(isEmptyText(value.title))
        return !isEmptyText(value.title)
      }}
      onCancel={() => onEnd(false)}
      names={{ title: texts.groups.name, description: texts.groups.purpose }}
      show={(_, version) => localizedWords(version)}
    >
      <NameFields value={value} set={set} faults={faults} />
    </EditForm>
  )
}
