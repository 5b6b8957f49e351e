import { useMemo, useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import type { Option } from '../data/choices.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { Form } from '../parts/Form.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { ProfileFields } from './ProfileForm.tsx'
import type { Attribute } from './ProfileView.tsx'
import { creationOf, emptyProfile, missingIn, type Profile } from './profile.ts'

/** Creates a person. */
export default function NewPerson() {
  const texts = useTexts()
  const attributes = useRead('attributes', readAttributes)
  return (
    <Page title={texts.person.newTitle} back={<a href={linkTo('people')}>{texts.person.back}</a>}>
      <section class="card" aria-labelledby="profile">
        <h2 id="profile">{texts.person.profile}</h2>
        <Loaded read={attributes}>{(definitions) => <CreationForm attributes={definitions} />}</Loaded>
      </section>
    </Page>
  )
}

function CreationForm({ attributes }: { attributes: readonly Attribute[] }) {
  const texts = useTexts()
  const [profile, setProfile] = useState<Profile>(emptyProfile)
  const [group, setGroup] = useState<Option | null>(null)
  const [missing, setMissing] = useState<readonly string[]>([])
  const [isCreated, setCreated] = useState(false)
  const { run, isBusy, problem, forget } = useAction()
  const faults = useMemo(
    () =>
      new Map([
        ...missing.map((name): [string, string] => [name, texts.problems.required]),
        ...faultsByField(problem, Object.keys(emptyProfile), texts),
      ]),
    [problem, missing, texts],
  )
  const check = () => {
    forget()
    const empty = missingIn(profile)
    setMissing(empty)
    return empty.length === 0
  }
  const create = async () => {
    let id = ''
    const isDone = await run(async () => {
      const { data } = await api.POST('/api/admin/users/v4/users', { body: creationOf(profile) })
      id = data.id
      setCreated(true)
    })
    if (!isDone) return
    say(texts.people.wasCreated(`${profile.first_name} ${profile.last_name}`))
    // After what was typed has become no longer unsaved.
    setTimeout(() => go(linkTo('person', { id })))
  }
  const hasUnsaved = !isCreated && JSON.stringify(profile) !== JSON.stringify(emptyProfile)
  return (
    <Form
      check={check}
      onSubmit={create}
      isBusy={isBusy}
      problem={problem}
      faults={faults}
      hasUnsaved={hasUnsaved}
      actions={
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {texts.person.create}
        </button>
      }
    >
      <ProfileFields
        profile={profile}
        set={(part) => setProfile({ ...profile, ...part } as Profile)}
        faults={faults}
        attributes={attributes}
        group={group}
        onGroup={(next) => {
          setGroup(next)
          setProfile({ ...profile, primary_user_group_id: next?.value ?? '' })
        }}
      />
    </Form>
  )
}
