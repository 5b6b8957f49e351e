import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { useRead } from '../data/useRead.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import type { ScreenProperties } from '../screens.ts'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { Colleague } from './Colleague.tsx'
import { ManagedPerson } from './ManagedPerson.tsx'
import { fullName } from './peopleQuery.ts'

/** One person: all about them for administrators, what colleagues see for others. */
export default function Person({ query }: ScreenProperties) {
  const id = query.get('id') ?? ''
  return isAdministrator(useMe()) ? <Managed id={id} /> : <Colleague id={id} />
}

function Managed({ id }: { id: string }) {
  const texts = useTexts()
  const read = useRead(id, async (signal) => {
    const params = { path: { user_id: id }, query: { embed: ['ACTIONS' as const] } }
    const { data, response } = await api.GET('/api/admin/users/v4/users/{user_id}', { signal, params })
    return { user: data, etag: response.headers.get('etag') ?? '*' }
  })
  const back = <a href={linkTo('people')}>{texts.person.back}</a>
  if (codeOf(read.problem) === 'USER_NOT_FOUND')
    return <Page title={texts.person.noPerson} intro={texts.person.noPersonAdvice} back={back} />
  if (!read.data)
    return (
      <Page title={texts.navigation.person} back={back}>
        <Loaded read={read}>{() => null}</Loaded>
      </Page>
    )
  return (
    <ManagedPerson key={id} user={read.data.user} etag={read.data.etag} read={read} title={fullName(read.data.user)} />
  )
}
