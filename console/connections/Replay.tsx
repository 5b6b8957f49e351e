import { useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { TextField } from '../parts/Field.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = { webhookId: string; onClose: () => void; onBegun: () => void }

const dayMs = 86_400_000
const dayBefore = () => new Date(Date.now() - dayMs).toISOString().slice(0, 10)

/** Sends the events since a day once more, such as after a receiver has lost some. */
export function Replay({ webhookId, onClose, onBegun }: Properties) {
  const texts = useTexts()
  const [from, setFrom] = useState(dayBefore)
  return (
    <Confirm
      title={texts.connections.replay}
      action={texts.connections.replayBegin}
      onClose={onClose}
      onConfirm={async () => {
        await api.POST('/api/admin/organisations/v4/webhooks/{webhook_id}/replay', {
          params: { path: { webhook_id: webhookId } },
          body: { from: new Date(`${from}T00:00`).toISOString() },
        })
        say(texts.connections.replayBegun)
        onBegun()
      }}
    >
      <p>{texts.connections.replayMeans}</p>
      <TextField name="from" type="date" label={texts.history.from} isRequired value={from} onValue={setFrom} />
    </Confirm>
  )
}
