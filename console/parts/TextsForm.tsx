import { useMemo, useState } from 'preact/hooks'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { Conflict } from './Conflict.tsx'
import { Form } from './Form.tsx'
import { isEmptyText, type Localized, LocalizedFields, localizedWords } from './LocalizedFields.tsx'

/** What groups, channels and roles are called, and what they are for. */
export type NameAndPurpose = { title: Localized; description: Localized }
export const noName: NameAndPurpose = { title: {}, description: {} }

const most = { title: 120, description: 200 }

type FieldsProperties = {
  value: NameAndPurpose
  set: (part: Partial<NameAndPurpose>) => void
  faults: ReadonlyMap<string, string>
}

export function NameFields({ value, set, faults }: FieldsProperties) {
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
  version: Version<NameAndPurpose>
  save: (changes: Partial<NameAndPurpose>, etag: string) => Promise<unknown>
  read: () => Promise<Version<NameAndPurpose>>
  onEnd: (hasChanged: boolean) => void
}

/** Edits the texts of a record in place. */
export function TextsForm({ version, save, read, onEnd }: Properties) {
  const texts = useTexts()
  const [isMissing, setMissing] = useState(false)
  const { value, set, hasUnsaved, submit, conflict, isBusy, problem } = useEdit<NameAndPurpose>({
    version,
    save,
    read,
    onSaved: () => {
      say(texts.common.saved)
      onEnd(true)
    },
  })
  const faults = useMemo(() => {
    const found = faultsByField(problem, ['title', 'description'], texts)
    if (isMissing) found.set('title', texts.problems.required)
    return found
  }, [problem, isMissing, texts])
  const names = { title: texts.groups.name, description: texts.groups.purpose }
  return (
    <>
      <Form
        onSubmit={() => {
          setMissing(isEmptyText(value.title))
          return isEmptyText(value.title) ? undefined : submit()
        }}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        hasUnsaved={hasUnsaved}
        actions={
          <>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {texts.common.save}
            </button>
            <button type="button" onClick={() => onEnd(false)}>
              {texts.common.cancel}
            </button>
          </>
        }
      >
        <NameFields value={value} set={set} faults={faults} />
      </Form>
      {conflict && (
        <Conflict
          {...conflict}
          nameOf={(field) => names[field as keyof typeof names]}
          show={(_, texts_) => localizedWords(texts_ as Localized)}
        />
      )}
    </>
  )
}
