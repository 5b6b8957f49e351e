import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { readAttributes } from '../data/attributes.ts'
import { type Read, useRead } from '../data/useRead.ts'
import { Loaded, NotCurrent } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { Access } from './Access.tsx'
import { PersonHistory } from './PersonHistory.tsx'
import { PersonState } from './PersonState.tsx'
import { ProfileForm } from './ProfileForm.tsx'
import { ProfileView } from './ProfileView.tsx'
import type { User } from './peopleQuery.ts'

export type Managed = { user: User; etag: string; again: () => void }

type Properties = Omit<Managed, 'again'> & { read: Read<unknown>; title: string }

/** All about a person, for administrators. */
export function ManagedPerson({ user, etag, read, title }: Properties) {
  const texts = useTexts()
  const me = useMe()
  const [isEditing, setEditing] = useState(false)
  const attributes = useRead('attributes', readAttributes)
  const end = (hasChanged: boolean) => {
    setEditing(false)
    if (hasChanged) read.again()
  }
  return (
    <Page
      title={title}
      back={<a href={linkTo('people')}>{texts.person.back}</a>}
      intro={user.id === me.id ? texts.person.you : undefined}
      canPrint
    >
      <NotCurrent read={read} />
      <div class="two-thirds">
        <section class="card" aria-labelledby="profile">
          <div class="card-head">
            <h2 id="profile" tabIndex={-1}>
              {texts.person.profile}
            </h2>
            {!isEditing && user.actions?.update?.allowed && attributes.data && (
              <button type="button" onClick={() => setEditing(true)}>
                {texts.person.editProfile}
              </button>
            )}
          </div>
          <Loaded read={attributes}>
            {(definitions) =>
              isEditing ? (
                <ProfileForm user={user} etag={etag} attributes={definitions} onEnd={end} />
              ) : (
                <ProfileView user={user} attributes={definitions} />
              )
            }
          </Loaded>
        </section>
        <PersonState user={user} etag={etag} again={read.again} />
      </div>
      {/* Both are read anew after each change of the record. */}
      <Access key={`access ${etag}`} userId={user.id} />
      <PersonHistory key={`history ${etag}`} userId={user.id} />
    </Page>
  )
}
