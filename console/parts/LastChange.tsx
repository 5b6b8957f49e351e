import { api, type Schemas } from '../data/api.ts'
import { useActorText } from '../data/useActorText.ts'
import { useRead } from '../data/useRead.ts'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { Time } from './Time.tsx'

type Event = Schemas['Event']
export type ChangedRecord = Event['record']

type Properties = {
  record: ChangedRecord
  /** When it was changed, if the record says so: an older event is another change. */
  changedAt?: string | undefined
}

/** So many events are looked at: those of what belongs to the record are among them. */
const newest = 20
/** An event and the record may have been given their times one after the other. */
const apartMs = 1000

/** Who has changed a record last, and when, for those who may read events; others read when, if that is known. */
export function LastChange({ record, changedAt }: Properties) {
  const texts = useTexts()
  const me = useMe()
  const key = `last change ${record.kind} ${record.id} ${changedAt ?? ''}`
  const read = useRead(isAdministrator(me) ? key : null, async (signal) => {
    const query = { record_kind: record.kind, record_id: record.id, page_limit: newest }
    const { data } = await api.GET('/api/admin/organisations/v4/events', { signal, params: { query } })
    return { event: lastOf(data.events, record, changedAt) }
  })
  const { event } = read.data ?? {}
  const actor = useActorText(event?.actor)
  if (!event)
    return changedAt ? (
      <p class="hint">
        {texts.conflict.savedAt} <Time at={changedAt} />
      </p>
    ) : null
  return (
    <p class="hint">
      {texts.conflict.savedBy} <strong dir="auto">{actor}</strong> · <Time at={event.time} />
    </p>
  )
}

const lastOf = (events: readonly Event[], { kind, id }: ChangedRecord, changedAt: string | undefined) =>
  events.find(
    ({ record, time }) =>
      record.kind === kind &&
      record.id === id &&
      (changedAt === undefined || Date.parse(time) >= Date.parse(changedAt) - apartMs),
  )
