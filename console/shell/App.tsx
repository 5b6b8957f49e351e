import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, startApi } from '../data/api.ts'
import { waitText } from '../data/problem.ts'
import { isNotActive, onNotActive } from '../data/report.ts'
import { useRead } from '../data/useRead.ts'
import { useStore } from '../data/useStore.ts'
import { Problem } from '../parts/Problem.tsx'
import { serviceAddress } from '../session/config.ts'
import type { Session } from '../session/session.ts'
import { acceptLanguage, languageFor, loadTexts, type Texts, TextsContext } from '../texts/texts.ts'
import { Announcements, say } from './announce.tsx'
import { Expired } from './Expired.tsx'
import { type Me, MeContext, ShowSettingsContext, withSettings } from './me.ts'
import { NotActive } from './NotActive.tsx'
import { Shell } from './Shell.tsx'
import { SignIn } from './SignIn.tsx'

/** Who is signed in, as far as the client needs to know. */
let preferred: string | null = null

/** The whole page: signing in, or the shell with a screen. */
export function App({ session, texts: first }: { session: Session; texts: Texts }) {
  const [texts, setTexts] = useState(first)
  const shownTexts = useRef(texts)
  shownTexts.current = texts
  const state = useStore(
    useCallback((changed) => session.subscribe(changed), [session]),
    () => session.state(),
  )
  useMemo(() => {
    startApi({
      session,
      baseUrl: serviceAddress,
      languages: () => acceptLanguage(preferred),
      onWait: (seconds, error) => say(waitText(seconds, error, shownTexts.current)),
    })
  }, [session])
  const wasSignedIn = state !== 'SIGNED_OUT'
  const read = useRead(
    wasSignedIn ? 'me' : null,
    async (signal) => (await api.GET('/api/users/v4/me', { signal })).data,
  )
  const me = wasSignedIn ? read.data : undefined

  const showLanguage = useCallback(async () => {
    const language = languageFor(preferred)
    document.documentElement.lang = language
    setTexts(await loadTexts(language))
  }, [])
  useEffect(() => {
    preferred = me?.preferred_language ?? null
    void showLanguage()
  }, [me, showLanguage])

  return (
    <TextsContext.Provider value={texts}>
      <Content
        session={session}
        me={me}
        problem={wasSignedIn ? read.problem : undefined}
        again={read.again}
        show={read.show}
        wasSignedIn={wasSignedIn}
        onLanguage={showLanguage}
      />
      {state === 'EXPIRED' && <Expired session={session} />}
      <Announcements />
    </TextsContext.Provider>
  )
}

type ContentProperties = {
  session: Session
  me: Me | undefined
  problem: unknown
  again: () => void
  show: (me: Me) => void
  wasSignedIn: boolean
  onLanguage: () => void
}

function Content({ session, me, problem, again, show, wasSignedIn, onLanguage }: ContentProperties) {
  const isRefused = useStore(onNotActive, isNotActive)
  if (!wasSignedIn) return <SignIn session={session} />
  if (isRefused) return <NotActive session={session} />
  if (problem !== undefined)
    return (
      <main class="alone">
        <Problem problem={problem} again={again} />
      </main>
    )
  if (!me) return <main class="alone" aria-busy="true" />
  return (
    <MeContext.Provider value={me}>
      <ShowSettingsContext.Provider value={(settings) => show(withSettings(me, settings))}>
        <Shell session={session} onLanguage={onLanguage} />
      </ShowSettingsContext.Provider>
    </MeContext.Provider>
  )
}
