import { useMemo, useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { findGroups, type Option } from '../data/choices.ts'
import { type Choice, type Difference, differences, merged } from '../data/merge.ts'
import { codeOf, faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Conflict } from '../parts/Conflict.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { languageName } from '../texts/languageName.ts'
import { textOf, useTexts } from '../texts/texts.ts'
import type { Attribute } from './ProfileView.tsx'
import type { User } from './peopleQuery.ts'
import { missingIn, type Profile, patchOf, prefix, profileOf } from './profile.ts'

type Properties = {
  user: User
  etag: string
  attributes: readonly Attribute[]
  onEnd: (hasChanged: boolean) => void
}

const path = '/api/admin/users/v4/users/{user_id}'
/** A version of the record: what the form shows of it, and its tag. */
type Version = { profile: Profile; etag: string; changedAt: string; groupTitle: string }

/** Edits a profile in place. What others have saved meanwhile is never lost: both versions are shown then. */
export function ProfileForm({ user, etag, attributes, onEnd }: Properties) {
  const texts = useTexts()
  const names = useMemo(() => attributes.map(({ name }) => name), [attributes])
  const versionOf = (record: User, tag: string): Version => ({
    profile: profileOf(record, names),
    etag: tag,
    changedAt: record.updated_at,
    groupTitle: record.primary_user_group?.title?.text ?? '',
  })
  const [before] = useState(() => versionOf(user, etag))
  const [profile, setProfile] = useState(before.profile)
  const [group, setGroup] = useState<Option | null>({
    value: before.profile.primary_user_group_id,
    text: before.groupTitle,
  })
  const [theirs, setTheirs] = useState<Version>()
  const [missing, setMissing] = useState<readonly string[]>([])
  const { run, isBusy, problem, forget } = useAction()
  const hasUnsaved = JSON.stringify(profile) !== JSON.stringify(before.profile)

  const patch = (body: Schemas['UserPatch'], tag: string) =>
    api.PATCH(path, { params: { path: { user_id: user.id }, header: { 'if-match': tag } }, body })
  const readTheirs = async () => {
    const { data, response } = await api.GET(path, { params: { path: { user_id: user.id } } })
    setTheirs(versionOf(data, response.headers.get('etag') ?? '*'))
  }
  const done = () => {
    say(texts.common.saved)
    onEnd(true)
  }
  const check = () => {
    forget()
    const empty = missingIn(profile)
    setMissing(empty)
    return empty.length === 0
  }
  const save = async () => {
    const body = patchOf(before.profile, profile)
    if (Object.keys(body).length === 0) return onEnd(false)
    await run(async () => {
      try {
        await patch(body, before.etag)
        done()
      } catch (error) {
        if (codeOf(error) !== 'PRECONDITION_FAILED') throw error
        await readTheirs()
      }
    })
  }
  const merge = async (fields: readonly Difference[], choices: Record<string, Choice>) => {
    if (!theirs) return
    const body = patchOf(theirs.profile, merged(theirs.profile, fields, choices))
    try {
      if (Object.keys(body).length > 0) await patch(body, theirs.etag)
      done()
    } catch (error) {
      // Somebody has saved once more while this was decided.
      if (codeOf(error) !== 'PRECONDITION_FAILED') throw error
      await readTheirs()
    }
  }
  const faults = useMemo(() => {
    const sent = faultsByField(
      problem,
      [
        'first_name',
        'last_name',
        'username',
        'email',
        'external_id',
        'role',
        'primary_user_group_id',
        'preferred_language',
        'tags',
      ],
      texts,
    )
    return new Map([...missing.map((name): [string, string] => [name, texts.problems.required]), ...sent])
  }, [problem, missing, texts])
  const fields = theirs ? differences(before.profile, profile, theirs.profile) : []
  const groupTitles = new Map(
    [before, ...(theirs ? [theirs] : [])].map((one) => [one.profile.primary_user_group_id, one.groupTitle]),
  )
  if (group) groupTitles.set(group.value, group.text)
  return (
    <>
      <Form
        check={check}
        onSubmit={save}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        hasUnsaved={hasUnsaved}
        isOpened
        actions={
          <>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {texts.common.save}
            </button>
            <button type="button" onClick={() => onEnd(false)}>
              {texts.common.cancel}
            </button>
          </>
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
            setProfile({ ...profile, primary_user_group_id: next?.value ?? before.profile.primary_user_group_id })
          }}
        />
      </Form>
      {theirs && (
        <Conflict
          key={theirs.etag}
          record={{ kind: 'user', id: user.id }}
          changedAt={theirs.changedAt}
          differences={fields}
          nameOf={(field) =>
            field.startsWith(prefix)
              ? (attributes.find(({ name }) => name === field.slice(prefix.length))?.title ?? field)
              : textOf(texts.fields, field)
          }
          show={(field, value) =>
            field === 'primary_user_group_id'
              ? groupTitles.get(String(value))
              : field === 'role'
                ? textOf(texts.role, String(value))
                : String(value ?? '')
          }
          onMerge={(choices) => merge(fields, choices)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </>
  )
}

type FieldsProperties = {
  profile: Profile
  set: (part: Partial<Profile>) => void
  faults: ReadonlyMap<string, string>
  attributes: readonly Attribute[]
  group: Option | null
  onGroup: (group: Option | null) => void
}

const types = { TEXT: 'text', PHONE_NUMBER: 'tel', DATE: 'date' } as const

/** The fields of a profile, for an edit and for somebody new. */
export function ProfileFields({ profile, set, faults, attributes, group, onGroup }: FieldsProperties) {
  const texts = useTexts()
  const me = useMe()
  const roles = [
    { value: 'USER' as const, text: texts.role.USER },
    { value: 'ADMIN' as const, text: texts.role.ADMIN },
  ]
  // A language that the organisation has dropped stays as it is.
  const languages = [...new Set([...me.languages, profile.preferred_language])].filter(Boolean)
  return (
    <>
      <div class="columns">
        <TextField
          name="first_name"
          label={texts.person.firstName}
          isRequired
          max={64}
          value={profile.first_name}
          onValue={(first_name) => set({ first_name })}
          fault={faults.get('first_name')}
        />
        <TextField
          name="last_name"
          label={texts.person.lastName}
          isRequired
          max={64}
          value={profile.last_name}
          onValue={(last_name) => set({ last_name })}
          fault={faults.get('last_name')}
        />
        <TextField
          name="username"
          label={texts.person.username}
          isRequired
          max={255}
          autocomplete="off"
          value={profile.username}
          onValue={(username) => set({ username })}
          fault={faults.get('username')}
        />
        <TextField
          name="email"
          label={texts.person.email}
          type="email"
          max={255}
          value={profile.email}
          onValue={(email) => set({ email })}
          fault={faults.get('email')}
        />
        <TextField
          name="external_id"
          label={texts.person.externalId}
          hint={texts.person.externalIdHint}
          max={255}
          value={profile.external_id}
          onValue={(external_id) => set({ external_id })}
          fault={faults.get('external_id')}
        />
        <SelectField
          name="role"
          label={texts.people.role}
          value={profile.role}
          onValue={(role) => set({ role })}
          options={roles}
          fault={faults.get('role')}
        />
        <Combobox
          name="primary_user_group_id"
          label={texts.person.group}
          value={group}
          onValue={onGroup}
          search={findGroups}
          fault={faults.get('primary_user_group_id')}
        />
        <SelectField
          name="preferred_language"
          label={texts.person.language}
          value={profile.preferred_language}
          onValue={(preferred_language) => set({ preferred_language })}
          options={[
            { value: '', text: texts.person.languageDefault },
            ...languages.map((tag) => ({ value: tag, text: languageName(tag, texts) })),
          ]}
          fault={faults.get('preferred_language')}
        />
      </div>
      <TextField
        name="tags"
        label={texts.person.tags}
        hint={texts.person.tagsHint}
        value={profile.tags}
        onValue={(tags) => set({ tags })}
        fault={faults.get('tags')}
      />
      {attributes.length > 0 && <h3>{texts.person.attributes}</h3>}
      <div class="columns">
        {attributes.map(({ name, title, type }) => (
          <TextField
            key={name}
            name={prefix + name}
            label={title}
            type={types[type]}
            max={255}
            value={profile[`${prefix}${name}` as `attribute:${string}`] ?? ''}
            onValue={(value) => set({ [prefix + name]: value })}
            fault={faults.get(prefix + name)}
          />
        ))}
      </div>
    </>
  )
}
