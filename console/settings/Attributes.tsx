import { useMemo, useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit } from '../data/useEdit.ts'
import { useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { EditForm } from '../parts/EditForm.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import {
  isEmptyText,
  type Localized,
  LocalizedFields,
  localizedFrom,
  localizedToSend,
  localizedWords,
} from '../parts/LocalizedFields.tsx'
import { type Edited, NewDialog } from '../parts/NewDialog.tsx'
import { Table } from '../parts/Table.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

const list = '/api/admin/users/v4/user-attribute-definitions'
const one = '/api/admin/users/v4/user-attribute-definitions/{definition_id}'
type Definition = Schemas['AttributeDefinition']
const types = ['TEXT', 'PHONE_NUMBER', 'DATE'] as const
const permissions = ['VIEW', 'EDIT', 'HIDDEN'] as const

/** What is known of people beside their name: department, place, whatever an organisation needs. */
export function Attributes() {
  const texts = useTexts()
  const [asked, setAsked] = useState<{ what: 'NEW' | 'EDIT' | 'DELETE'; name: string }>()
  const read = useRead('definitions', async (signal) => {
    const { data } = await api.GET(list, { signal })
    return data.attribute_definitions.map(({ definition }) => definition)
  })
  const close = () => setAsked(undefined)
  const changed = () => {
    close()
    say(texts.common.saved)
    read.again()
  }
  return (
    <section class="card" aria-labelledby="attributes">
      <div class="card-head">
        <h2 id="attributes">{texts.settings.views.attributes}</h2>
        <button type="button" onClick={() => setAsked({ what: 'NEW', name: '' })}>
          {texts.settings.newAttribute}
        </button>
      </div>
      <Loaded read={read}>
        {(definitions) => (
          <Table
            caption={texts.settings.views.attributes}
            rows={definitions}
            keyOf={({ technical_name }) => technical_name}
            columns={[
              {
                key: 'title',
                title: texts.groups.name,
                isHeader: true,
                cell: ({ title, technical_name, predefined }) => (
                  <>
                    <span dir="auto">{title?.text ?? technical_name}</span>{' '}
                    {predefined && <Badge>{texts.settings.predefined}</Badge>}
                    <span class="note">{technical_name}</span>
                  </>
                ),
              },
              {
                key: 'type',
                title: texts.settings.type,
                cell: ({ attribute_type }) => texts.settings.types[attribute_type],
              },
              {
                key: 'permission',
                title: texts.settings.seen,
                cell: ({ user_permission }) => texts.settings.permissions[user_permission],
              },
              {
                key: 'actions',
                title: texts.connections.actions,
                cell: ({ technical_name: name, predefined }) => (
                  <div class="actions">
                    <button type="button" class="quiet" onClick={() => setAsked({ what: 'EDIT', name })}>
                      {texts.common.edit}
                      <span class="visually-hidden"> {name}</span>
                    </button>
                    {!predefined && (
                      <button type="button" class="quiet" onClick={() => setAsked({ what: 'DELETE', name })}>
                        {texts.groups.delete}
                        <span class="visually-hidden"> {name}</span>
                      </button>
                    )}
                  </div>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {asked?.what === 'NEW' && <NewAttribute onClose={close} onMade={changed} />}
      {asked?.what === 'EDIT' && <EditAttribute name={asked.name} onClose={close} onSaved={changed} />}
      {asked?.what === 'DELETE' && (
        <Confirm
          title={texts.settings.deleteTitle(asked.name)}
          action={texts.groups.delete}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.DELETE(one, { params: { path: { definition_id: asked.name } } })
            changed()
          }}
        >
          <p>{texts.settings.deleteAttributeMeans}</p>
        </Confirm>
      )}
    </section>
  )
}

type Value = {
  title: Localized
  attribute_type: Definition['attribute_type']
  user_permission: Definition['user_permission']
}
function AttributeFields({ value, set, faults }: Edited<Value>) {
  const texts = useTexts()
  return (
    <>
      <LocalizedFields
        name="title"
        label={texts.groups.name}
        isRequired
        max={120}
        value={value.title}
        onValue={(title) => set({ title })}
        fault={faults.get('title')}
      />
      <SelectField
        name="attribute_type"
        label={texts.settings.type}
        value={value.attribute_type}
        onValue={(attribute_type) => set({ attribute_type })}
        options={types.map((type) => ({ value: type, text: texts.settings.types[type] }))}
        fault={faults.get('attribute_type')}
      />
      <SelectField
        name="user_permission"
        label={texts.settings.seen}
        value={value.user_permission}
        onValue={(user_permission) => set({ user_permission })}
        options={permissions.map((one_) => ({ value: one_, text: texts.settings.permissions[one_] }))}
      />
    </>
  )
}

const noAttribute: Value = { title: {}, attribute_type: 'TEXT', user_permission: 'VIEW' }

const names = ['technical_name', 'title', 'attribute_type']

function NewAttribute({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const texts = useTexts()
  return (
    <NewDialog
      title={texts.settings.newAttribute}
      action={texts.groups.create}
      empty={{ ...noAttribute, technical_name: '' }}
      names={names}
      missingIn={({ technical_name, title }) => ({
        technical_name: !technical_name.trim() && texts.problems.required,
        title: isEmptyText(title) && texts.problems.required,
      })}
      create={async (value) => {
        await api.POST(list, { body: { ...value, title: localizedToSend(value.title) } })
        onMade()
      }}
      onClose={onClose}
    >
      {({ value, set, faults }) => (
        <>
          <TextField
            name="technical_name"
            label={texts.settings.technicalName}
            hint={texts.settings.technicalNameHint}
            isRequired
            max={64}
            autocomplete="off"
            value={value.technical_name}
            onValue={(technical_name) => set({ technical_name })}
            fault={faults.get('technical_name')}
          />
          <AttributeFields value={value} set={set} faults={faults} />
        </>
      )}
    </NewDialog>
  )
}

async function readDefinition(name: string, signal: AbortSignal | null = null) {
  const { data, response } = await api.GET(one, { signal, params: { path: { definition_id: name } } })
  const { id, title, attribute_type, user_permission } = data
  const value: Value = { title: localizedFrom(title), attribute_type, user_permission }
  return { id, value, etag: response.headers.get('etag') ?? '*' }
}

type EditProperties = { name: string; onClose: () => void; onSaved: () => void }

function EditAttribute({ name, onClose, onSaved }: EditProperties) {
  const texts = useTexts()
  const read = useRead(`definition ${name}`, (signal) => readDefinition(name, signal))
  return (
    <Dialog title={texts.settings.editTitle(name)} onClose={onClose}>
      <Loaded read={read}>
        {(version) => <AttributeForm name={name} version={version} onClose={onClose} onSaved={onSaved} />}
      </Loaded>
    </Dialog>
  )
}

type FormProperties = EditProperties & { version: Awaited<ReturnType<typeof readDefinition>> }

function AttributeForm({ name, version, onClose, onSaved }: FormProperties) {
  const texts = useTexts()
  const edit = useEdit<Value>({
    version,
    save: ({ title, ...rest }, etag) =>
      api.PATCH(one, {
        params: { path: { definition_id: name }, header: { 'if-match': etag } },
        body: { ...rest, ...(title ? { title: localizedToSend(title) } : {}) },
      }),
    read: () => readDefinition(name),
    onSaved,
  })
  const { problem } = edit
  const faults = useMemo(() => faultsByField(problem, ['title', 'attribute_type'], texts), [problem, texts])
  return (
    <EditForm
      edit={edit}
      record={{ kind: 'attribute_definition', id: version.id }}
      faults={faults}
      onCancel={onClose}
      names={{ title: texts.groups.name, attribute_type: texts.settings.type, user_permission: texts.settings.seen }}
      show={(field, shown: Value[keyof Value]) =>
        field === 'title'
          ? localizedWords(shown as Localized)
          : field === 'attribute_type'
            ? texts.settings.types[shown as Value['attribute_type']]
            : texts.settings.permissions[shown as Value['user_permission']]
      }
    >
      <AttributeFields value={edit.value} set={edit.set} faults={faults} />
    </EditForm>
  )
}
