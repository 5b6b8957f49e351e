import type { ComponentChildren } from 'preact'
import { useAction } from '../data/useAction.ts'
import { Dialog, DialogActions } from './Dialog.tsx'
import { Problem } from './Problem.tsx'

type Properties = {
  title: string
  children: ComponentChildren
  /** The word on the button that does it. */
  action: string
  isDangerous?: boolean
  /** The word on the button that leaves all as it is. */
  keep?: string
  /** Does it. The dialog closes when it is done; a problem is shown in it. */
  onConfirm: () => Promise<unknown>
  /** Reads the record once more if somebody else has changed it meanwhile. */
  again?: () => void
  onClose: () => void
}

/** Asks before something is done, and says what it means. */
export function Confirm({ title, children, action, isDangerous = false, keep, onConfirm, again, onClose }: Properties) {
  const { run, isBusy, problem } = useAction(again)
  const confirm = async () => {
    if (await run(onConfirm)) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem problem={problem} />
      <DialogActions
        action={action}
        onAction={confirm}
        isDangerous={isDangerous}
        isBusy={isBusy}
        keep={keep}
        onClose={onClose}
      />
    </Dialog>
  )
}
