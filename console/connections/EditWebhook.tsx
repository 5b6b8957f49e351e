import { useMemo } from 'preact/hooks'
import { api } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit } from '../data/useEdit.ts'
import { EditForm } from '../parts/EditForm.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Asked, kindsIn, namesOfWebhook, typesOf, WebhookFields } from './WebhookFields.tsx'
import type { Webhook } from './Webhooks.tsx'

const path = '/api/admin/organisations/v4/webhooks/{webhook_id}'
const askedOf = ({ url, description, types }: Webhook): Asked => ({
  url,
  description: description ?? '',
  kinds: kindsIn(types),
})

type Properties = { webhook: Webhook; etag: string; onEnd: (hasChanged: boolean) => void }

/** Edits where a webhook delivers, and what. */
export function EditWebhook({ webhook, etag, onEnd }: Properties) {
  const texts = useTexts()
  const params = { path: { webhook_id: webhook.id } }
  const edit = useEdit<Asked>({
    version: { value: askedOf(webhook), etag },
    save: ({ url, description, kinds }, tag) => {
      const body = {
        ...(url !== undefined ? { url } : {}),
        ...(description !== undefined ? { description: description.trim() || null } : {}),
        ...(kinds !== undefined ? { types: typesOf(kinds) } : {}),
      }
      return api.PATCH(path, { params: { ...params, header: { 'if-match': tag } }, body })
    },
    read: async () => {
      const { data, response } = await api.GET(path, { params })
      return { value: askedOf(data), etag: response.headers.get('etag') ?? '*' }
    },
    onSaved: () => {
      say(texts.common.saved)
      onEnd(true)
    },
  })
  const { problem } = edit
  const faults = useMemo(() => faultsByField(problem, namesOfWebhook, texts), [problem, texts])
  return (
    <EditForm
      edit={edit}
      record={{ kind: 'webhook', id: webhook.id }}
      faults={faults}
      onCancel={() => onEnd(false)}
      names={{
        url: texts.connections.address,
        description: texts.connections.description,
        kinds: texts.connections.events,
      }}
      show={(field, version: Asked[keyof Asked]) =>
        field === 'kinds'
          ? (version as Asked['kinds']).map((kind) => texts.history.kinds[kind]).join(', ')
          : String(version)
      }
    >
      <WebhookFields value={edit.value} set={edit.set} faults={faults} />
    </EditForm>
  )
}
