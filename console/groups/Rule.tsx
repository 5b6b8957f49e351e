import { useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { rolesOfGroup, usualRole } from '../data/choices.ts'
import { codeOf } from '../data/problem.ts'
import { type Read, useRead, useRepeat } from '../data/useRead.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { Loaded, NotCurrent } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { Progress } from '../parts/Progress.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'
import { RuleBadge } from './RuleBadge.tsx'
import { RuleForm } from './RuleForm.tsx'
import { emptyRule, ruleFrom } from './ruleValue.ts'

const path = '/api/admin/users/v4/user-group-rules/{rule_id}'
type Shown = { rule: Schemas['Rule']; etag: string }

const readRule = async (id: string, signal: AbortSignal | null = null): Promise<Shown> => {
  const { data, response } = await api.GET(path, { signal, params: { path: { rule_id: id } } })
  return { rule: data, etag: response.headers.get('etag') ?? '*' }
}

/** A rule: one that exists, or a new one for a group. */
export default function Rule({ query }: ScreenProperties) {
  const id = query.get('id')
  return id ? <Existing id={id} /> : <New groupId={query.get('group') ?? ''} />
}

function Existing({ id }: { id: string }) {
  const texts = useTexts()
  const read = useRead(id, (signal) => readRule(id, signal))
  const isUnderWay = read.data !== undefined && read.data.rule.state !== 'READY'
  useRepeat(isUnderWay, read.again)
  if (codeOf(read.problem) === 'RULE_NOT_FOUND')
    return <Page title={texts.errors.RULE_NOT_FOUND} back={<a href={linkTo('groups')}>{texts.groups.back}</a>} />
  if (!read.data)
    return (
      <Page title={texts.rules.one}>
        <Loaded read={read}>{() => null}</Loaded>
      </Page>
    )
  return <ExistingRule key={read.data.rule.id} shown={read.data} read={read} />
}

function ExistingRule({ shown: { rule, etag }, read }: { shown: Shown; read: Read<Shown> }) {
  const texts = useTexts()
  const [isDeleting, setDeleting] = useState(false)
  const params = { path: { rule_id: rule.id } }
  const group = rule.user_group
  return (
    <Page
      title={rule.title}
      back={<a href={linkTo('group', { id: group.id })}>{group.title?.text ?? group.id}</a>}
      actions={<HistoryLink kind="user_group_rule" id={rule.id} />}
    >
      <NotCurrent read={read} />
      <section class="card" aria-labelledby="about">
        <div class="card-head">
          <h2 id="about">{texts.rules.gives(rule.role.title?.text ?? rule.role.id, group.title?.text ?? group.id)}</h2>
          <RuleBadge rule={rule} />
        </div>
        {rule.progress && (
          <Progress label={texts.rules.states[rule.state]} done={rule.progress.done} total={rule.progress.total} />
        )}
        {rule.state === 'DELETING' ? (
          <p>{texts.rules.deletingMeans}</p>
        ) : (
          <RuleForm
            version={{ value: ruleFrom(rule), etag }}
            groupId={group.id}
            roleId={rule.role.id}
            role={rule.role.title?.text ?? rule.role.id}
            saving={{
              id: rule.id,
              save: (changes, tag) =>
                api.PATCH(path, { params: { ...params, header: { 'if-match': tag } }, body: changes }),
              read: async () => {
                const { rule: now, etag: tag } = await readRule(rule.id)
                return { value: ruleFrom(now), etag: tag }
              },
              onSaved: () => {
                say(texts.common.saved)
                read.again()
              },
            }}
            action={texts.common.save}
            more={
              <button type="button" class="dangerous-quiet" onClick={() => setDeleting(true)}>
                {texts.rules.delete}
              </button>
            }
          />
        )}
      </section>
      {isDeleting && (
        <Confirm
          title={texts.rules.deleteTitle(rule.title)}
          action={texts.rules.delete}
          isDangerous
          onClose={() => setDeleting(false)}
          again={read.again}
          onConfirm={async () => {
            await api.DELETE(path, { params: { ...params, header: { 'if-match': etag } } })
            say(texts.rules.deleted)
            go(linkTo('group', { id: group.id }))
          }}
        >
          <p>{texts.rules.deleteMeans}</p>
        </Confirm>
      )}
    </Page>
  )
}

function New({ groupId }: { groupId: string }) {
  const texts = useTexts()
  const read = useRead(groupId, async (signal) => {
    const params = { path: { group_id: groupId } }
    const [{ data }, roles] = await Promise.all([
      api.GET('/api/admin/users/v4/user-groups/{group_id}', { signal, params }),
      rolesOfGroup(groupId, signal),
    ])
    return { title: bestText(data.title, texts), roles }
  })
  const [roleId, setRole] = useState('')
  return (
    <Page
      title={texts.rules.create}
      back={<a href={linkTo('group', { id: groupId })}>{read.data?.title ?? texts.groups.one}</a>}
    >
      <section class="card">
        <Loaded read={read}>
          {({ roles }) => {
            const role = roleId || usualRole(roles)
            return (
              <RuleForm
                version={{ value: emptyRule, etag: '' }}
                groupId={groupId}
                roleId={role}
                role={roles.find(({ value }) => value === role)?.text ?? role}
                roles={{ options: roles, onRole: setRole }}
                create={async (value) => {
                  const { match, ...rest } = value
                  const body = { ...rest, match, user_group_id: groupId, role_id: role }
                  const { data } = await api.POST('/api/admin/users/v4/user-group-rules', { body })
                  say(texts.rules.created)
                  return data.id
                }}
                action={texts.rules.makeIt}
                more={
                  <a class="button" href={linkTo('group', { id: groupId })}>
                    {texts.common.cancel}
                  </a>
                }
              />
            )
          }}
        </Loaded>
      </section>
    </Page>
  )
}
