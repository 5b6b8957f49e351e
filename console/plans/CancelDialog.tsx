import { api } from '../data/api.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { mayCancel, type Plan } from './planQuery.ts'

type Properties = { plan: Plan; onClose: () => void; onCancelled: (plan: Plan) => void; again: () => void }

/** Asks before a plan is cancelled. A plan that ends while this is open says what has become of it. */
export function CancelDialog({ plan, onClose, onCancelled, again }: Properties) {
  const texts = useTexts()
  const { state, counts } = plan
  if (!mayCancel(plan))
    return (
      <Dialog title={texts.plans.cancelTitle} onClose={onClose}>
        <p role="status">{state === 'DONE' ? texts.plans.isApplied(counts.done) : texts.plans.means[state]}</p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {texts.common.close}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Confirm
      title={texts.plans.cancelTitle}
      action={texts.plans.cancel}
      keep={texts.plans.keepIt}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        const params = { path: { plan_id: plan.id } }
        try {
          const { data } = await api.POST('/api/admin/organisations/v4/plans/{plan_id}/cancel', { params })
          onCancelled(data)
        } catch (error) {
          // The plan has gone on meanwhile: its present state is shown.
          again()
          throw error
        }
        say(texts.plans.cancelled)
      }}
    >
      <p>{state === 'APPLYING' ? texts.plans.cancelMeansApplying : texts.plans.cancelMeans}</p>
    </Confirm>
  )
}
