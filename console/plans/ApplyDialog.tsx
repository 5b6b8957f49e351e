import { useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { TextField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Problem } from '../parts/Problem.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { needsNumber, type Plan } from './planQuery.ts'

type Properties = { plan: Plan; onClose: () => void; onApplied: (plan: Plan) => void; again: () => void }

/** Asks before a plan is applied. Where much would change, or somebody would be deleted, the number is typed in. */
export function ApplyDialog({ plan, onClose, onApplied, again }: Properties) {
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const { run, isBusy, problem } = useAction()
  const { planned } = plan.counts
  const params = { path: { plan_id: plan.id } }
  const deletions = useRead(`deletions of ${plan.id}`, async (signal) => {
    const query = { action: ['DELETE' as const], page_limit: 1 }
    const { data } = await api.GET('/api/admin/organisations/v4/plans/{plan_id}/changes', {
      signal,
      params: { ...params, query },
    })
    return data.changes.length > 0
  })
  const apply = async (hasDeletions: boolean) => {
    if (needsNumber(plan, hasDeletions) && typed.replaceAll(/\D/g, '') !== String(planned)) return setWrong(true)
    const isDone = await run(async () => {
      try {
        const { data } = await api.POST('/api/admin/organisations/v4/plans/{plan_id}/apply', {
          params,
          body: { planned },
        })
        onApplied(data)
      } catch (error) {
        // The plan has gone on meanwhile: its present state is shown behind the dialog.
        again()
        throw error
      }
    })
    if (!isDone) return
    say(texts.plans.applying)
    onClose()
  }
  return (
    <Dialog title={texts.plans.applyTitle} onClose={onClose}>
      <Loaded read={deletions}>
        {(hasDeletions) => (
          <form
            novalidate
            onSubmit={(event) => {
              event.preventDefault()
              void apply(hasDeletions)
            }}
          >
            <p>{texts.plans.wouldChange(planned)}</p>
            {hasDeletions && <p>{texts.plans.hasDeletions}</p>}
            {hasDeletions && plan.kind === 'UNDO' && <p>{texts.plans.undoDeletes(texts.files.restores)}</p>}
            <p>{texts.plans.canBeUndone}</p>
            {needsNumber(plan, hasDeletions) && (
              <TextField
                name="planned"
                label={texts.plans.typeNumber(planned)}
                isRequired
                autocomplete="off"
                value={typed}
                onValue={setTyped}
                fault={isWrong ? texts.plans.wrongNumber : undefined}
              />
            )}
            <Problem problem={problem} />
            <DialogActions action={texts.plans.apply} isDangerous={hasDeletions} isBusy={isBusy} onClose={onClose} />
          </form>
        )}
      </Loaded>
    </Dialog>
  )
}
