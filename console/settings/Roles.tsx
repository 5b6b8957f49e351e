import { useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { localizedFrom, localizedToSend } from '../parts/LocalizedFields.tsx'
import { NewNamed } from '../parts/NewNamed.tsx'
import { Table } from '../parts/Table.tsx'
import { TextsForm } from '../parts/TextsForm.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

const list = '/api/admin/users/v4/roles'
const one = '/api/admin/users/v4/roles/{role_id}'
type Scope = Schemas['Role']['scope']
const scopes = ['USER_GROUPS', 'CHANNELS', 'ORGANISATION'] as const

async function readRole(id: string, signal: AbortSignal | null = null) {
  const { data, response } = await api.GET(one, { signal, params: { path: { role_id: id } } })
  const value = { title: localizedFrom(data.title), description: localizedFrom(data.description) }
  return { value, etag: response.headers.get('etag') ?? '*' }
}

/** The roles that people can have in groups and on channels. */
export function Roles() {
  const texts = useTexts()
  const [asked, setAsked] = useState<{ what: 'NEW' | 'EDIT' | 'DELETE'; id: string; title: string }>()
  const [scope, setScope] = useState<Scope>('USER_GROUPS')
  const roles = useGrowing(`roles ${scope}`, async (page, signal) => {
    const { data } = await api.GET(list, { signal, params: { query: { ...page, scope: [scope] } } })
    return { items: data.roles, next: data.pagination.next_cursor ?? null }
  })
  const close = () => setAsked(undefined)
  const changed = () => {
    close()
    say(texts.common.saved)
    roles.first.again()
  }
  return (
    <section class="card" aria-labelledby="roles">
      <div class="card-head">
        <h2 id="roles">{texts.settings.views.roles}</h2>
        <button type="button" onClick={() => setAsked({ what: 'NEW', id: '', title: '' })}>
          {texts.settings.newRole}
        </button>
      </div>
      <SelectField<Scope>
        name="scope"
        label={texts.settings.scope}
        value={scope}
        onValue={setScope}
        options={scopes.map((value) => ({ value, text: texts.settings.scopes[value] }))}
      />
      <Growing list={roles} none={texts.settings.noRoles} more={texts.groups.more}>
        {(items) => (
          <Table
            caption={texts.settings.views.roles}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                key: 'title',
                title: texts.groups.name,
                isHeader: true,
                cell: ({ id, title, type }) => (
                  <>
                    <span dir="auto">{title?.text ?? id}</span>{' '}
                    {type === 'PREDEFINED' && <Badge>{texts.settings.predefined}</Badge>}
                  </>
                ),
              },
              {
                key: 'purpose',
                title: texts.groups.purpose,
                cell: ({ description }) => <span dir="auto">{description?.text}</span>,
              },
              {
                key: 'actions',
                title: texts.connections.actions,
                cell: ({ id, title, type }) => (
                  <div class="actions">
                    <button
                      type="button"
                      class="quiet"
                      onClick={() => setAsked({ what: 'EDIT', id, title: title?.text ?? id })}
                    >
                      {texts.common.edit}
                      <span class="visually-hidden"> {title?.text ?? id}</span>
                    </button>
                    {type === 'CUSTOM' && (
                      <button
                        type="button"
                        class="quiet"
                        onClick={() => setAsked({ what: 'DELETE', id, title: title?.text ?? id })}
                      >
                        {texts.groups.delete}
                        <span class="visually-hidden"> {title?.text ?? id}</span>
                      </button>
                    )}
                  </div>
                ),
              },
            ]}
          />
        )}
      </Growing>
      {asked?.what === 'NEW' && (
        <NewNamed
          title={texts.settings.newRoleFor(texts.settings.scopes[scope])}
          onClose={close}
          create={async (body) => {
            await api.POST(list, { body: { ...body, scope } })
            changed()
          }}
        />
      )}
      {asked?.what === 'EDIT' && <EditRole id={asked.id} title={asked.title} onClose={close} onSaved={changed} />}
      {asked?.what === 'DELETE' && (
        <Confirm
          title={texts.settings.deleteTitle(asked.title)}
          action={texts.groups.delete}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.DELETE(one, { params: { path: { role_id: asked.id } } })
            changed()
          }}
        >
          <p>{texts.settings.deleteRoleMeans}</p>
        </Confirm>
      )}
    </section>
  )
}

type EditProperties = { id: string; title: string; onClose: () => void; onSaved: () => void }

function EditRole({ id, title, onClose, onSaved }: EditProperties) {
  const texts = useTexts()
  const read = useRead(`role ${id}`, (signal) => readRole(id, signal))
  return (
    <Dialog title={texts.settings.editTitle(title)} onClose={onClose}>
      <Loaded read={read}>
        {(version) => (
          <TextsForm
            record={{ kind: 'role', id }}
            version={version}
            save={(changes, etag) =>
              api.PATCH(one, {
                params: { path: { role_id: id }, header: { 'if-match': etag } },
                body: {
                  ...(changes.title ? { title: localizedToSend(changes.title) } : {}),
                  ...(changes.description ? { description: localizedToSend(changes.description) } : {}),
                },
              })
            }
            read={() => readRole(id)}
            onEnd={(hasChanged) => (hasChanged ? onSaved() : onClose())}
          />
        )}
      </Loaded>
    </Dialog>
  )
}
