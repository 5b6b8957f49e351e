import { useEffect, useState } from 'preact/hooks'
import { linkTo, mayLeave } from '../address.ts'
import { isFor, screens } from '../screens.ts'
import type { Session } from '../session/session.ts'
import { chooseLanguage, type Language, languageNames, useTexts } from '../texts/texts.ts'
import { useMe } from './me.ts'

/** What this person can go to, who is signed in, and the language. */
export function Navigation({ session, path, onLanguage }: { session: Session; path: string; onLanguage: () => void }) {
  const texts = useTexts()
  const me = useMe()
  const [isOpen, setOpen] = useState(false)
  // On narrow screens the menu closes once somebody has gone somewhere.
  useEffect(() => setOpen(false), [path])
  const here = screens.find((screen) => screen.path === path)
  const name = `${me.first_name} ${me.last_name}`
  return (
    <header class="side">
      <div class="side-head">
        <a class="brand" href={linkTo('')}>
          {texts.common.product}
        </a>
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {texts.navigation.menu}
        </button>
      </div>
      <div id="navigation" class={isOpen ? 'side-body open' : 'side-body'}>
        <nav aria-label={texts.navigation.label}>
          <ul>
            {screens
              .filter((screen) => screen.below === undefined && isFor(me, screen))
              .map(({ path: to, name: text }) => (
                <li key={to}>
                  <a href={linkTo(to)} aria-current={to === path ? 'page' : to === here?.below ? 'true' : undefined}>
                    {texts.navigation[text]}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <div class="side-foot">
          <p>{texts.session.signedInAs(name)}</p>
          <label class="language">
            <span class="visually-hidden">{texts.session.language}</span>
            <select
              onChange={({ currentTarget }) => {
                // Each screen is shown anew in the other language.
                if (!mayLeave()) {
                  currentTarget.value = texts.language
                  return
                }
                chooseLanguage(currentTarget.value as Language)
                onLanguage()
              }}
            >
              {languageNames.map((language) => (
                <option
                  key={language.tag}
                  value={language.tag}
                  lang={language.tag}
                  selected={language.tag === texts.language}
                >
                  {language.name}
                </option>
              ))}
            </select>
          </label>
          <button type="button" class="quiet" onClick={() => session.signOut()}>
            {texts.session.signOut}
          </button>
        </div>
      </div>
    </header>
  )
}
