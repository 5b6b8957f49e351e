import { useEffect } from 'preact/hooks'
import { useAction } from '../data/useAction.ts'
import { Problem } from '../parts/Problem.tsx'
import { type Session, SignInError } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** The page of somebody who is not signed in. Signing in begins with a click. */
export function SignIn({ session }: { session: Session }) {
  const texts = useTexts()
  const { run, isBusy, problem } = useAction()
  // Why the page came back without having signed somebody in.
  const failed = session.problem()
  useEffect(() => {
    document.title = `${texts.session.title} · ${texts.common.product}`
  }, [texts])
  return (
    <main class="alone">
      <h1>{texts.common.product}</h1>
      <p class="intro">{texts.session.intro}</p>
      <p>{texts.session.explain}</p>
      <Problem problem={problem ?? (failed && new SignInError(failed))} title={texts.session.failed} />
      <button
        type="button"
        class="primary large"
        aria-disabled={isBusy}
        onClick={() => run(() => session.signIn(location.pathname + location.search))}
      >
        {texts.session.signIn}
      </button>
    </main>
  )
}
