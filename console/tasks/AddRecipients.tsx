import { useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { useAction } from '../data/useAction.ts'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { showUnfit } from '../parts/Form.tsx'
import { Problem } from '../parts/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { ChooseRecipients, type Chosen, nobody } from './ChooseRecipients.tsx'
import { countsOf, type Task } from './taskQuery.ts'

type Properties = { task: Task; onAdded: (text: string) => void }

/** Gives a task to more people, or to the members of a channel. */
export function AddRecipients({ task, onAdded }: Properties) {
  const texts = useTexts()
  const [chosen, setChosen] = useState<Chosen>()
  const { run, isBusy, problem, forget } = useAction()
  const close = () => {
    forget()
    setChosen(undefined)
  }
  const add = async ({ kind, people, channel }: Chosen) => {
    const before = task.assignment_summary ? countsOf(task.assignment_summary).total : 0
    await run(async () => {
      const params = { path: { task_id: task.id } }
      const { data } =
        kind === 'CHANNEL'
          ? await api.POST('/api/tasks/v4/tasks/{task_id}/assignments', {
              params,
              body: { recipient: { id: channel?.value ?? '', type: 'CHANNEL' } },
            })
          : await api.POST('/api/tasks/v4/tasks/{task_id}/assignments/batch', {
              params,
              body: { user_ids: people.map(({ value }) => value) },
            })
      close()
      onAdded(texts.tasks.added(Math.max(0, data.total - before)))
    })
  }
  const isEmpty = chosen && (chosen.kind === 'CHANNEL' ? !chosen.channel : chosen.people.length === 0)
  return (
    <>
      <p>
        <button type="button" onClick={() => setChosen(nobody)}>
          {texts.tasks.addRecipients}
        </button>
      </p>
      {chosen && (
        <Dialog title={texts.tasks.addRecipients} onClose={close}>
          <ChooseRecipients chosen={chosen} onChosen={setChosen} />
          <Problem problem={problem} />
          <DialogActions
            action={texts.common.add}
            isBusy={isBusy || isEmpty === true}
            onAction={({ currentTarget }) =>
              isEmpty || showUnfit(currentTarget.closest('dialog')) ? undefined : add(chosen)
            }
            onClose={close}
          />
        </Dialog>
      )}
    </>
  )
}
