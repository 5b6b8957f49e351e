import { api } from '../data/api.ts'
import { dayBefore } from '../history/historyQuery.ts'
import { TextField } from '../parts/Field.tsx'
import { NewDialog } from '../parts/NewDialog.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { faultOfReplay, mostDaysAgo } from './replayDays.ts'

type Properties = { webhookId: string; onClose: () => void; onBegun: () => void }

/** Sends the events since a day once more, such as after a receiver has lost some. */
export function Replay({ webhookId, onClose, onBegun }: Properties) {
  const texts = useTexts()
  return (
    <NewDialog
      title={texts.connections.replay}
      action={texts.connections.replayBegin}
      empty={{ from: dayBefore(1) }}
      names={['from']}
      missingIn={({ from }) => ({ from: faultOfReplay(from, texts) })}
      create={async ({ from }) => {
        await api.POST('/api/admin/organisations/v4/webhooks/{webhook_id}/replay', {
          params: { path: { webhook_id: webhookId } },
          body: { from: new Date(`${from}T00:00`).toISOString() },
        })
        say(texts.connections.replayBegun)
        onClose()
        onBegun()
      }}
      onClose={onClose}
    >
      {({ value, set, faults }) => (
        <>
          <p>{texts.connections.replayMeans}</p>
          <TextField
            name="from"
            type="date"
            label={texts.history.from}
            hint={texts.connections.replayWithin(mostDaysAgo)}
            isRequired
            value={value.from}
            onValue={(from) => set({ from })}
            fault={faults.get('from')}
          />
        </>
      )}
    </NewDialog>
  )
}
