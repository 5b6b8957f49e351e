import { useAction } from '../data/useAction.ts'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { Problem } from '../parts/Problem.tsx'
import type { Session } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** Over the page of somebody whose sign-in has ended. What they were doing stays behind it, and goes on afterwards. */
export function Expired({ session }: { session: Session }) {
  const texts = useTexts()
  const { run, isBusy, problem } = useAction()
  return (
    <Dialog title={texts.session.expired}>
      <p>{texts.session.expiredExplain}</p>
      <Problem problem={problem} title={texts.session.failed} />
      <DialogActions
        action={texts.session.signInAgain}
        onAction={() => run(() => session.signInAgain())}
        isBusy={isBusy}
        keep={texts.session.signOut}
        onClose={() => session.signOut()}
      />
    </Dialog>
  )
}
