import { useState } from 'preact/hooks'
import { findUsers, type Option, type RoleOption, usualRole } from '../data/choices.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { Combobox } from './Combobox.tsx'
import { Dialog, DialogActions } from './Dialog.tsx'
import { SelectField } from './Field.tsx'
import { showUnfit } from './Form.tsx'
import { Problem } from './Problem.tsx'

type Properties = {
  title: string
  /** The roles that may be given here. */
  roles: (signal: AbortSignal) => Promise<RoleOption[]>
  /** Who or what gets the role; people, if this is left out. */
  search?: (text: string, signal: AbortSignal) => Promise<Option[]>
  label?: string
  give: (to: string, role: string) => Promise<unknown>
  onGiven: (name: string) => void
  onClose: () => void
}

/** Gives a role to somebody, in a group or on a channel. */
export function RoleGiver({ title, roles, search = findUsers, label, give, onGiven, onClose }: Properties) {
  const texts = useTexts()
  const [to, setTo] = useState<Option | null>(null)
  const [chosen, setRole] = useState('')
  const { data: options = [] } = useRead(title, roles)
  const role = chosen || usualRole(options)
  const { run, isBusy, problem } = useAction()
  const save = async () => {
    if (!to) return
    if (await run(() => give(to.value, role))) onGiven(to.text)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        novalidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!showUnfit(event.currentTarget)) void save()
        }}
      >
        <Combobox
          name="to"
          label={label ?? texts.groups.person}
          isRequired
          value={to}
          onValue={setTo}
          search={search}
        />
        <SelectField
          name="role"
          label={texts.groups.role}
          isRequired
          value={role}
          onValue={setRole}
          options={[...(role ? [] : [{ value: '', text: texts.groups.chooseRole }]), ...options]}
        />
        <Problem problem={problem} />
        <DialogActions action={texts.common.add} isBusy={isBusy || !to || !role} onClose={onClose} />
      </form>
    </Dialog>
  )
}
