import { findGroups, type Option } from '../data/choices.ts'
import { useTexts } from '../texts/texts.ts'
import { Combobox } from './Combobox.tsx'
import { isEmptyText, localizedToSend } from './LocalizedFields.tsx'
import { NewDialog } from './NewDialog.tsx'
import { type NameAndPurpose, NameFields, noName } from './TextsForm.tsx'

type Named = { title: ReturnType<typeof localizedToSend>; description: ReturnType<typeof localizedToSend> }
type Common = { title: string; onClose: () => void }
type Properties = Common & { create: (texts: Named) => Promise<unknown> }

const names = ['title', 'description']
const namesOfGroup = [...names, 'parent_id']

/** Creates a channel or a role: only its texts are needed. */
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

type GroupProperties = Common & {
  /** The group below which it is, unless another one is chosen. */
  below: Option
  create: (texts: Named & { parent_id: string }) => Promise<unknown>
}

/** Creates a group: it needs a place, too. */
export function NewGroup({ title, below, create, onClose }: GroupProperties) {
  const texts = useTexts()
  return (
    <NewDialog<NameAndPurpose & { below: Option | null }>
      title={title}
      action={texts.groups.create}
      empty={{ ...noName, below }}
      names={namesOfGroup}
      missingIn={(value) => ({
        title: isEmptyText(value.title) && texts.problems.required,
        parent_id: !value.below && texts.problems.required,
      })}
      create={(value) =>
        create({
          title: localizedToSend(value.title),
          description: localizedToSend(value.description),
          parent_id: value.below?.value ?? '',
        })
      }
      onClose={onClose}
    >
      {(edited) => (
        <>
          <NameFields {...edited} />
          <Combobox
            name="parent_id"
            label={texts.groups.moveBelow}
            isRequired
            value={edited.value.below}
            onValue={(next) => edited.set({ below: next })}
            search={findGroups}
            fault={edited.faults.get('parent_id')}
          />
        </>
      )}
    </NewDialog>
  )
}
