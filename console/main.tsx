// The console's entry. It reads where to sign in, starts the session, and shows the page.
import { render } from 'preact'
import { followLinks } from './address.ts'
import { readConfig } from './session/config.ts'
import { startSession } from './session/session.ts'
import { App } from './shell/App.tsx'
import { keepFocus } from './shell/keepFocus.ts'
import { StartProblem } from './shell/StartProblem.tsx'
import { languageFor, loadTexts, TextsContext } from './texts/texts.ts'
import './styles/main.css'

async function start(root: HTMLElement): Promise<void> {
  const language = languageFor()
  const texts = await loadTexts(language)
  document.documentElement.lang = language
  try {
    const session = await startSession(await readConfig())
    followLinks()
    keepFocus()
    render(<App session={session} texts={texts} />, root)
  } catch (problem) {
    render(
      <TextsContext.Provider value={texts}>
        <StartProblem problem={problem} />
      </TextsContext.Provider>,
      root,
    )
  }
}

await start(document.getElementById('console') ?? document.body)
