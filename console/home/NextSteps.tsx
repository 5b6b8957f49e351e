import { useEffect } from 'preact/hooks'
import { linkTo, screenOf } from '../address.ts'
import { screenAt } from '../screens.ts'
import { sayOnly } from '../shell/announce.tsx'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'

const steps = {
  people: linkTo('people'),
  managedPeople: linkTo('people'),
  file: linkTo('new-plan'),
  newTask: linkTo('new-task'),
  allTasks: linkTo('tasks', { show: 'all' }),
  groups: linkTo('groups'),
  history: linkTo('history'),
}
type Step = keyof typeof steps
const forEverybody: readonly Step[] = ['people', 'newTask', 'allTasks']
const forAdministrators: readonly Step[] = ['managedPeople', 'file', 'groups', 'newTask', 'allTasks', 'history']

/** Where to go from the first screen. `isQuiet`: nothing waits, which is said here, too. */
export function NextSteps({ isQuiet }: { isQuiet: boolean }) {
  const texts = useTexts()
  const me = useMe()
  useEffect(() => {
    if (isQuiet) sayOnly(texts.home.nothing)
  }, [isQuiet, texts])
  const own = isAdministrator(me) ? forAdministrators : forEverybody
  return (
    <section class="card" aria-labelledby="next">
      <h2 id="next">{isQuiet ? texts.home.nothing : texts.home.whatNext}</h2>
      {isQuiet && <p>{isAdministrator(me) ? texts.home.nothingForAdministrators : texts.home.nothingMeans}</p>}
      <ul class="lines next-steps">
        {own
          .filter((step) => screenAt(me, screenOf(steps[step])))
          .map((step) => (
            <li key={step}>
              <a href={steps[step]}>{texts.home.next[step].title}</a>
              <span class="note">{texts.home.next[step].means}</span>
            </li>
          ))}
      </ul>
    </section>
  )
}
