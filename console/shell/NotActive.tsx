import { useEffect } from 'preact/hooks'
import type { Session } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** The page of somebody who is signed in, but whose account is not active here. */
export function NotActive({ session }: { session: Session }) {
  const texts = useTexts()
  useEffect(() => {
    document.title = `${texts.session.notActive} · ${texts.common.product}`
  }, [texts])
  return (
    <main class="alone">
      <h1>{texts.session.notActive}</h1>
      <p>{texts.session.notActiveExplain}</p>
      <button type="button" class="primary" onClick={() => session.signOut()}>
        {texts.session.signOut}
      </button>
    </main>
  )
}
