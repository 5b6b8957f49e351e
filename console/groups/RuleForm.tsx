import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { findUsers, type Option } from '../data/choices.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { ComboboxList } from '../parts/ComboboxList.tsx'
import { Conflict } from '../parts/Conflict.tsx'
import { Check, FieldGroup, SelectField, TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'
import { Problem } from '../parts/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { ConditionFields } from './ConditionFields.tsx'
import { isComplete } from './conditions.ts'
import { previewOf, type RuleValue, type Sent, toSend } from './ruleValue.ts'

type Rule = Schemas['Rule']
/** The most people whom a rule can leave out. */
const mostExcepted = 100

type Properties = {
  version: Version<RuleValue>
  groupId: string
  roleId: string
  /** What the role is called. */
  role: string
  /** Where the role is chosen, too: it cannot change later. */
  roles?: { options: readonly Option[]; onRole: (role: string) => void }
  /** How a rule that exists is saved, and read after somebody else has changed it. */
  saving?: {
    id: string
    save: (changes: Partial<Sent>, etag: string) => Promise<unknown>
    read: () => Promise<Version<RuleValue>>
    onSaved: () => void
  }
  /** Creates a new one, and returns its id. */
  create?: (value: Sent) => Promise<string>
  action: string
  more?: ComponentChildren
}

/** Who matches a rule: the conditions, and what they would do, before anything is saved. */
export function RuleForm({ version, groupId, roleId, role, roles, saving, create, action, more }: Properties) {
  const texts = useTexts()
  const [incomplete, setIncomplete] = useState<ReadonlyMap<string, string>>(new Map())
  const [isCreated, setCreated] = useState(false)
  const creation = useAction()
  const edit = useEdit<RuleValue>({
    version,
    save: async (changes, tag) => saving?.save(toSend(changes), tag),
    read: async () => (saving ? saving.read() : version),
    onSaved: () => saving?.onSaved(),
  })
  const { value, set, conflict } = edit
  const theirs = conflict?.differences.find(({ field }) => field === 'except_user_ids')?.theirs
  const people = usePeopleNames([...value.except_user_ids, ...((theirs ?? []) as readonly string[])])
  const problem = creation.problem ?? edit.problem
  const faults = useMemo(
    () =>
      new Map([...incomplete, ...faultsByField(problem, ['title', 'conditions', 'except_user_ids', 'role_id'], texts)]),
    [incomplete, problem, texts],
  )
  const check = () => {
    creation.forget()
    edit.forget()
    const found = new Map<string, string>()
    if (!value.title.trim()) found.set('title', texts.problems.required)
    if (!roleId) found.set('role_id', texts.problems.required)
    if (!value.conditions.every(isComplete)) found.set('conditions', texts.rules.incomplete)
    setIncomplete(found)
    return found.size === 0
  }
  const submit = async () => {
    if (!create) return void (await edit.submit())
    let id = ''
    const isDone = await creation.run(async () => {
      id = await create(toSend(value) as Sent)
      setCreated(true)
    })
    // After what was typed has become no longer unsaved.
    if (isDone) setTimeout(() => go(linkTo('rule', { id })))
  }
  const isBusy = edit.isBusy || creation.isBusy
  const names: Record<keyof RuleValue, string> = {
    title: texts.groups.name,
    match: texts.rules.match,
    enabled: texts.rules.enabled,
    conditions: texts.rules.conditions,
    except_user_ids: texts.rules.except,
  }
  return (
    <>
      <Form
        check={check}
        onSubmit={submit}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        hasUnsaved={!isCreated && edit.hasUnsaved}
        actions={
          <>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {action}
            </button>
            {more}
          </>
        }
      >
        <TextField
          name="title"
          label={texts.groups.name}
          isRequired
          max={120}
          value={value.title}
          onValue={(title) => set({ title })}
          fault={faults.get('title')}
        />
        {roles && (
          <SelectField
            name="role_id"
            label={texts.groups.role}
            hint={texts.rules.roleHint}
            value={roleId}
            onValue={roles.onRole}
            isRequired
            options={[...(roleId ? [] : [{ value: '', text: texts.groups.chooseRole }]), ...roles.options]}
            fault={faults.get('role_id')}
          />
        )}
        <SelectField
          name="match"
          label={texts.rules.match}
          value={value.match}
          onValue={(match) => set({ match })}
          options={(['ALL', 'ANY'] as const).map((one) => ({ value: one, text: texts.rules.matches[one] }))}
        />
        <FieldGroup name="conditions" legend={texts.rules.conditions} fault={faults.get('conditions')}>
          <ConditionFields conditions={value.conditions} onConditions={(conditions) => set({ conditions })} />
        </FieldGroup>
        <ComboboxList
          name="except_user_ids"
          label={texts.rules.addExcept}
          hint={texts.rules.exceptHint}
          listLabel={texts.rules.except}
          chosen={value.except_user_ids.map((id) => ({ value: id, text: people.get(id) ?? id }))}
          onChosen={(chosen) => set({ except_user_ids: chosen.map((one) => one.value) })}
          most={mostExcepted}
          search={findUsers}
          fault={faults.get('except_user_ids')}
        />
        <Check label={texts.rules.enabled} isChecked={value.enabled} onChecked={(enabled) => set({ enabled })} />
        <Preview value={value} groupId={groupId} roleId={roleId} role={role} />
      </Form>
      {conflict && saving && (
        <Conflict
          {...conflict}
          record={{ kind: 'user_group_rule', id: saving.id }}
          nameOf={(field) => names[field as keyof RuleValue]}
          show={(field, shown) => wordsOf(field, shown, people, texts)}
        />
      )}
    </>
  )
}

/** A value of a rule in words, for a comparison of versions. */
function wordsOf(
  field: string,
  shown: unknown,
  people: ReadonlyMap<string, string>,
  texts: ReturnType<typeof useTexts>,
): string {
  if (field === 'enabled') return shown ? texts.common.yes : texts.common.no
  if (field === 'match') return texts.rules.matches[shown as Rule['match']]
  if (field === 'except_user_ids') return (shown as readonly string[]).map((id) => people.get(id) ?? id).join(', ')
  if (field !== 'conditions') return String(shown)
  return (shown as RuleValue['conditions'])
    .map(({ field: name, operator, values }) =>
      [name.replace('ATTRIBUTE:', ''), texts.rules.operators[operator], values.split('\n').join(', ')].join(' '),
    )
    .join(' · ')
}

type Answer = { total: number; looked_at: number; of: number; gaining?: number; losing?: number } & {
  users: readonly Schemas['UserReference'][]
}

/** Who would match, gain and lose the role. Nothing is changed by looking. */
type PreviewProperties = Pick<Properties, 'groupId' | 'roleId' | 'role'> & { value: RuleValue }

function Preview({ value, groupId, roleId, role }: PreviewProperties) {
  const texts = useTexts()
  const [answer, setAnswer] = useState<{ of: string; found: Answer }>()
  const { run, isBusy, problem } = useAction()
  const key = JSON.stringify([value.match, value.conditions, value.except_user_ids, roleId])
  const isPossible = value.conditions.every(isComplete) && roleId !== ''
  const look = () =>
    run(async () => {
      const body = previewOf(value, groupId, roleId)
      const { data } = await api.POST('/api/admin/users/v4/user-group-rules/preview', { body })
      setAnswer({ of: key, found: data })
    })
  const found = answer?.of === key ? answer.found : undefined
  return (
    <section aria-label={texts.rules.preview}>
      <button type="button" aria-disabled={isBusy || !isPossible} onClick={() => (isPossible ? look() : undefined)}>
        {texts.rules.preview}
      </button>
      <Problem problem={problem} />
      <div role="status">
        {found && (
          <>
            <p>
              <strong>{texts.rules.matching(found.total)}</strong>{' '}
              {found.gaining !== undefined && texts.rules.effect(role, found.gaining, found.losing ?? 0)}
              {found.looked_at < found.of && ` ${texts.rules.lookedAt(found.looked_at, found.of)}`}
            </p>
            {found.users.length > 0 && (
              <p dir="auto">
                {found.users.map((user) => `${user.first_name} ${user.last_name}`).join(', ')}
                {found.total > found.users.length && ` ${texts.rules.andMore(found.total - found.users.length)}`}
              </p>
            )}
          </>
        )}
      </div>
    </section>
  )
}
