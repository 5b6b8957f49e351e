import { useTexts } from '../texts/texts.ts'
import { isEmptyText, localizedToSend } from './LocalizedFields.tsx'
import { NewDialog } from './NewDialog.tsx'
import { NameFields, noName } from './TextsForm.tsx'

type Named = { title: ReturnType<typeof localizedToSend>; description: ReturnType<typeof localizedToSend> }
type Properties = { title: string; create: (texts: Named) => Promise<unknown>; onClose: () => void }

const names = ['title', 'description']

/** Creates a group, a channel or a role: only its texts are needed. */
export function NewNamed({ title, create, onClose }: Properties) {
  const texts = useTexts()
  return (
    <NewDialog
      title={title}
      action={texts.groups.create}
      empty={noName}
      names={names}
      missingIn={(value) => ({ title: isEmptyText(value.title) && texts.problems.required })}
      create={(value) =>
        create({ title: localizedToSend(value.title), description: localizedToSend(value.description) })
      }
      onClose={onClose}
    >
      {NameFields}
    </NewDialog>
  )
}
