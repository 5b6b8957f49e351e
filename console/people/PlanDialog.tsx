import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import { findGroups, type Option, rolesOfGroup, usualRole } from '../data/choices.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { findValues, isAmong, typedValue } from '../data/values.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { showUnfit } from '../parts/Form.tsx'
import { Problem } from '../parts/Problem.tsx'
import { screenAt } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { AttributeValue } from './AttributeValue.tsx'
import { changeOf, type Kind, kinds, lifeCycle, type PlanSelect, type Wanted } from './planChange.ts'

type Properties = { about: string; select: PlanSelect; onClose: () => void }

/** Makes a plan for the people who are selected: nothing is changed before somebody has read and applied it. */
export function PlanDialog({ about, select, onClose }: Properties) {
  const texts = useTexts()
  const me = useMe()
  const [wanted, setWanted] = useState<Wanted>({
    kind: '',
    group: null,
    role: '',
    addTag: '',
    removeTag: '',
    attribute: '',
    value: '',
  })
  const [title, setTitle] = useState('')
  const [narrowTo, setNarrow] = useState<{ group: Option | null; tag: string }>({ group: null, tag: '' })
  const [isIncomplete, setIncomplete] = useState(false)
  const { run, isBusy, problem } = useAction()
  const set = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part })
  const options = kinds
    .filter((kind) => me.features.user_deactivation || kind !== 'DEACTIVATE')
    .map((kind) => ({ value: kind, text: texts.bulk[kind] }))
  const { tag } = narrowTo
  const tagHint = useTagHint(tag)
  const narrowed = [
    ...(narrowTo.group ? [texts.bulk.inThatGroup(narrowTo.group.text)] : []),
    ...(tag ? [texts.bulk.withThatTag(tag)] : []),
  ]
  const make = async () => {
    const change = changeOf(wanted)
    setIncomplete(!change)
    if (!change) return
    const narrow = {
      ...(narrowTo.group ? { user_group_id: narrowTo.group.value } : {}),
      ...(tag ? { tag } : {}),
    }
    const { all: _all, ...named } = select
    const selected = Object.keys(narrow).length > 0 ? { ...named, ...narrow } : select
    const body = {
      kind: 'SELECTION' as const,
      select: selected,
      change,
      ...(title.trim() ? { title: title.trim() } : {}),
    }
    await run(async () => {
      const { data } = await api.POST('/api/admin/organisations/v4/plans', { body })
      onClose()
      say(texts.bulk.made)
      if (screenAt(me, 'plan')) go(linkTo('plan', { id: data.id }))
    })
  }
  return (
    <Dialog title={texts.bulk.title} onClose={onClose}>
      <form
        novalidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!showUnfit(event.currentTarget)) void make()
        }}
      >
        <p>
          <strong>{narrowed.length > 0 ? `${about}, ${texts.bulk.narrowed(narrowed.join(', '))}` : about}</strong>
        </p>
        <p>{texts.bulk.intro}</p>
        <SelectField<Kind | ''>
          name="what"
          label={texts.bulk.what}
          isRequired
          fault={isIncomplete && wanted.kind === '' ? texts.problems.required : undefined}
          value={wanted.kind}
          onValue={(kind) => set({ kind })}
          options={[{ value: '', text: texts.common.choose }, ...options]}
        />
        <Details wanted={wanted} set={set} />
        {!('user_ids' in select) && (
          <details class="more">
            <summary>{texts.bulk.narrow}</summary>
            <Combobox
              name="in-group"
              label={texts.bulk.inGroup}
              hint={texts.bulk.inGroupHint}
              value={narrowTo.group}
              onValue={(group) => setNarrow({ ...narrowTo, group })}
              search={findGroups}
            />
            <Combobox
              name="with-tag"
              label={texts.bulk.withTag}
              hint={tagHint}
              value={typedValue(narrowTo.tag)}
              onValue={(option) => setNarrow({ ...narrowTo, tag: option?.value ?? '' })}
              search={(text, signal) => findValues(text, { field: 'TAG', texts }, signal)}
              typed={typedValue}
            />
          </details>
        )}
        <TextField
          name="title"
          label={`${texts.bulk.name} (${texts.common.optional})`}
          max={120}
          value={title}
          onValue={setTitle}
        />
        {isIncomplete && wanted.kind !== '' && (
          <p class="fault" role="alert">
            {wanted.kind === 'TAGS' ? texts.bulk.giveTag : texts.problems.required}
          </p>
        )}
        <Problem problem={problem} />
        <DialogActions action={texts.bulk.make} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** What is said of a tag that nobody seems to have: plans take any text. */
function useTagHint(tag: string): string | undefined {
  const texts = useTexts()
  const { data: found } = useRead(tag || null, (signal) => findValues(tag, { field: 'TAG', texts }, signal), {
    keep: false,
  })
  return tag && found && !isAmong(found, tag) ? texts.bulk.unknownTag(tag) : undefined
}

type DetailsProperties = { wanted: Wanted; set: (part: Partial<Wanted>) => void }

/** What a change needs to know beside its kind. */
function Details({ wanted, set }: DetailsProperties) {
  const texts = useTexts()
  const { kind } = wanted
  if (kind === '' || lifeCycle.some((action) => action === kind)) return null
  if (kind === 'TAGS')
    return (
      <div class="columns">
        <TextField
          name="add-tag"
          label={texts.bulk.addTag}
          max={64}
          value={wanted.addTag}
          onValue={(addTag) => set({ addTag })}
        />
        <TextField
          name="remove-tag"
          label={texts.bulk.removeTag}
          max={64}
          value={wanted.removeTag}
          onValue={(removeTag) => set({ removeTag })}
        />
      </div>
    )
  if (kind === 'ATTRIBUTE') return <AttributeFields wanted={wanted} set={set} />
  return (
    <>
      <Combobox
        name="group"
        label={texts.bulk.group}
        isRequired
        value={wanted.group}
        onValue={(group) => set({ group, role: '' })}
        search={findGroups}
      />
      {kind !== 'GROUP' && wanted.group && <RoleField wanted={wanted} set={set} />}
    </>
  )
}

function RoleField({ wanted, set }: DetailsProperties) {
  const texts = useTexts()
  const group = wanted.group?.value ?? null
  const { data: roles = [] } = useRead(group, (signal) => rolesOfGroup(group ?? '', signal), { keep: false })
  const usual = usualRole(roles)
  useEffect(() => {
    if (usual && !wanted.role) set({ role: usual })
  }, [usual])
  return (
    <SelectField
      name="role"
      label={texts.bulk.role}
      isRequired
      value={wanted.role}
      onValue={(role) => set({ role })}
      options={[...(wanted.role ? [] : [{ value: '', text: texts.groups.chooseRole }]), ...roles]}
    />
  )
}

function AttributeFields({ wanted, set }: DetailsProperties) {
  const texts = useTexts()
  const { data: definitions = [] } = useRead('attributes', readAttributes)
  const type = definitions.find(({ name }) => name === wanted.attribute)?.type
  const field = { name: 'value', label: texts.bulk.value, hint: texts.bulk.valueHint }
  const onValue = (value: string) => set({ value })
  return (
    <div class="columns">
      <SelectField
        name="attribute"
        label={texts.bulk.attribute}
        value={wanted.attribute}
        onValue={(attribute) => set({ attribute, value: '' })}
        options={[
          { value: '', text: texts.common.choose },
          ...definitions.map(({ name, title }) => ({ value: name, text: title })),
        ]}
      />
      {type === 'DATE' ? (
        <TextField type="date" {...field} value={wanted.value} onValue={onValue} />
      ) : (
        wanted.attribute && (
          <AttributeValue {...field} attribute={wanted.attribute} value={wanted.value} onValue={onValue} />
        )
      )}
    </div>
  )
}
