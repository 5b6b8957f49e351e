import { useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { findGroups, type Option } from '../data/choices.ts'
import { useAction } from '../data/useAction.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { showUnfit } from '../parts/Form.tsx'
import { Problem } from '../parts/Problem.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = { group: Schemas['Group']; etag: string; onClose: () => void; onMoved: () => void; again: () => void }

/** Moves a group below another one. */
export function MoveGroup({ group, etag, onClose, onMoved, again }: Properties) {
  const texts = useTexts()
  const [parent, setParent] = useState<Option | null>(null)
  const { run, isBusy, problem } = useAction(again)
  const move = async () => {
    if (!parent) return
    const isDone = await run(() =>
      api.PATCH('/api/admin/users/v4/user-groups/{group_id}', {
        params: { path: { group_id: group.id }, header: { 'if-match': etag } },
        body: { parent_id: parent.value },
      }),
    )
    if (!isDone) return
    onClose()
    onMoved()
  }
  return (
    <Dialog title={texts.groups.move} onClose={onClose}>
      <form
        novalidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!showUnfit(event.currentTarget)) void move()
        }}
      >
        <Combobox
          name="parent"
          label={texts.groups.moveBelow}
          isRequired
          value={parent}
          onValue={setParent}
          search={findGroups}
        />
        <Problem problem={problem} />
        <DialogActions action={texts.groups.move} isBusy={isBusy || !parent} onClose={onClose} />
      </form>
    </Dialog>
  )
}
