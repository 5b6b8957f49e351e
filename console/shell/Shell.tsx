import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { linkTo, useAddress } from '../address.ts'
import { Page } from '../parts/Page.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type ScreenProperties, screenAt } from '../screens.ts'
import type { Session } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'
import { useMe } from './me.ts'
import { Navigation } from './Navigation.tsx'

/** Navigation and the screen of the address. */
export function Shell({ session, onLanguage }: { session: Session; onLanguage: () => void }) {
  const texts = useTexts()
  const { screen, query } = useAddress()
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {texts.navigation.skip}
      </a>
      <Navigation session={session} path={screen} onLanguage={onLanguage} />
      <main id="content" tabIndex={-1}>
        {/* Another record is another visit: what was typed for one must not show at the other. */}
        <Screen key={`${screen}?${query.get('id') ?? ''}#${texts.language}`} path={screen} query={query} />
      </main>
    </div>
  )
}

function Screen({ path, query }: { path: string; query: URLSearchParams }) {
  const texts = useTexts()
  const screen = screenAt(useMe(), path)
  const [state, setState] = useState<{ View?: ComponentType<ScreenProperties>; problem?: unknown }>({})
  useEffect(() => {
    screen?.load().then(
      ({ default: View }) => setState({ View }),
      (problem: unknown) => setState({ problem }),
    )
  }, [screen])
  if (!screen)
    return (
      <Page title={texts.common.notFound} intro={texts.common.notFoundAdvice}>
        <p>
          <a href={linkTo('')}>{texts.common.toHome}</a>
        </p>
      </Page>
    )
  if (state.problem !== undefined)
    return <Problem problem={state.problem} title={texts.problems.notLoaded} again={() => location.reload()} />
  return state.View ? <state.View query={query} /> : <p class="loading">{texts.common.loading}</p>
}
