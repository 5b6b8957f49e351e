import { api } from '../data/api.ts'
import { NewDialog } from '../parts/NewDialog.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Asked, namesOfWebhook, typesOf, WebhookFields } from './WebhookFields.tsx'

const nothing: Asked = { url: '', description: '', kinds: [] }

/** Makes a webhook. */
export function NewWebhook({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const texts = useTexts()
  return (
    <NewDialog
      title={texts.connections.newWebhook}
      action={texts.connections.makeWebhook}
      isWide
      empty={nothing}
      names={namesOfWebhook}
      missingIn={({ url }) => ({ url: !url.trim() && texts.problems.required })}
      create={async ({ url, description, kinds }) => {
        const body = { url, types: typesOf(kinds), ...(description.trim() ? { description } : {}) }
        const { data } = await api.POST('/api/admin/organisations/v4/webhooks', { body })
        onMade(data.secret)
      }}
      onClose={onClose}
    >
      {WebhookFields}
    </NewDialog>
  )
}
