import { useMemo, useRef, useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { findGroups, type Option } from '../data/choices.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { EditForm } from '../parts/EditForm.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { languageName } from '../texts/languageName.ts'
import { textOf, useTexts } from '../texts/texts.ts'
import type { Attribute } from './ProfileView.tsx'
import type { User } from './peopleQuery.ts'
import { emptyProfile, missingIn, type Profile, patchOf, prefix, profileOf } from './profile.ts'

type Properties = {
  user: User
  etag: string
  attributes: readonly Attribute[]
  onEnd: (hasChanged: boolean) => void
}

/** The fields of a profile beside attributes. */
const fields = Object.keys(emptyProfile)
const path = '/api/admin/users/v4/users/{user_id}'

/** Edits a profile in place. What others have saved meanwhile is never lost: both versions are shown then. */
export function ProfileForm({ user, etag, attributes, onEnd }: Properties) {
  const texts = useTexts()
  const attributeNames = useMemo(() => attributes.map(({ name }) => name), [attributes])
  const titles = useRef(new Map<string, string>()).current
  const versionOf = (record: User, tag: string): Version<Profile> => {
    const group = record.primary_user_group
    if (group) titles.set(group.id, group.title?.text ?? group.id)
    return { value: profileOf(record, attributeNames), etag: tag, changedAt: record.updated_at }
  }
  const params = { path: { user_id: user.id } }
  const edit = useEdit<Profile>({
    version: versionOf(user, etag),
    save: (changes, tag) =>
      api.PATCH(path, { params: { ...params, header: { 'if-match': tag } }, body: patchOf(changes) }),
    read: async () => {
      const { data, response } = await api.GET(path, { params })
      return versionOf(data, response.headers.get('etag') ?? '*')
    },
    onSaved: () => {
      say(texts.common.saved)
      onEnd(true)
    },
  })
  const { value: profile, problem } = edit
  const [hasNoGroup, setNoGroup] = useState(false)
  const [missing, setMissing] = useState<readonly string[]>([])
  const check = () => {
    const empty = missingIn(profile)
    setMissing(empty)
    return empty.length === 0
  }
  const faults = useMemo(() => {
    const sent = faultsByField(problem, fields, texts)
    return new Map([...missing.map((name): [string, string] => [name, texts.problems.required]), ...sent])
  }, [problem, missing, texts])
  const names = {
    ...Object.fromEntries(fields.map((field) => [field, textOf(texts.fields, field)])),
    ...Object.fromEntries(attributes.map(({ name, title }) => [prefix + name, title])),
  } as Record<keyof Profile, string>
  const groupId = profile.primary_user_group_id
  return (
    <EditForm
      edit={edit}
      record={{ kind: 'user', id: user.id }}
      check={check}
      onSubmit={() => (edit.hasUnsaved ? edit.submit() : onEnd(false))}
      onCancel={() => onEnd(false)}
      faults={faults}
      isOpened
      names={names}
      show={(field, value: string) => {
        if (field === 'primary_user_group_id') return titles.get(value) ?? value
        return field === 'role' ? textOf(texts.role, value) : value
      }}
    >
      <ProfileFields
        profile={profile}
        set={edit.set}
        faults={faults}
        attributes={attributes}
        group={hasNoGroup || !groupId ? null : { value: groupId, text: titles.get(groupId) ?? groupId }}
        onGroup={(next) => {
          if (next) titles.set(next.value, next.text)
          setNoGroup(next === null)
          // Everybody has a group: without another one it stays.
          edit.set({ primary_user_group_id: next?.value ?? user.primary_user_group?.id ?? '' })
        }}
      />
    </EditForm>
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
