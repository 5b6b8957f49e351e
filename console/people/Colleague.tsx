import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { useRead } from '../data/useRead.ts'
import { Facts } from '../parts/Facts.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { useTexts } from '../texts/texts.ts'
import { fullName } from './peopleQuery.ts'

/** What everybody sees of a person. */
export function Colleague({ id }: { id: string }) {
  const texts = useTexts()
  const read = useRead(id, async (signal) => {
    const params = { path: { user_id: id } }
    return (await api.GET('/api/users/v4/users/{user_id}', { signal, params })).data
  })
  const back = <a href={linkTo('people')}>{texts.person.back}</a>
  const code = codeOf(read.problem)
  if (code === 'FEATURE_DISABLED') return <Page title={texts.navigation.person} intro={texts.person.directoryOff} />
  if (code === 'USER_NOT_FOUND')
    return <Page title={texts.person.noPerson} intro={texts.person.noPersonAdvice} back={back} />
  const person = read.data
  if (person?.is_deleted) return <Page title={texts.person.noProfile} back={back} />
  return (
    <Page title={person ? fullName(person) : texts.navigation.person} back={back}>
      <Loaded read={read}>
        {({ department, location, job_title }) => (
          <section class="card">
            <Facts
              facts={[
                [texts.people.job, job_title],
                [texts.people.department, department],
                [texts.people.location, location],
              ]}
            />
          </section>
        )}
      </Loaded>
    </Page>
  )
}
