import { changeQuery } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { findActors } from '../data/choices.ts'
import { plainDateText } from '../data/moments.ts'
import { useActorText } from '../data/useActorText.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { hasTitle, useTitles } from '../data/useTitles.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Events, learnTitles } from '../parts/Events.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { Page } from '../parts/Page.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import {
  dayBefore,
  daysListed,
  type EventType,
  faultOfDays,
  historyQuery,
  kindsOfEvents,
  recordIn,
} from './historyQuery.ts'

const daysBack = [0, 1] as const

/** Who changed what in the organisation: by kind of record, by person, by time. */
export default function History({ query }: ScreenProperties) {
  const texts = useTexts()
  const filter = historyQuery(query, Object.keys(texts.events) as EventType[])
  const key = JSON.stringify(filter)
  const fault = faultOfDays(query, texts)
  const list = useGrowing(`events ${key}`, async (page, signal) => {
    if (fault) return { items: [], next: null }
    const params = { query: { ...filter, ...page } }
    const { data } = await api.GET('/api/admin/organisations/v4/events', { signal, params })
    return { items: data.events, next: data.pagination.next_cursor }
  })
  const record = recordIn(query)
  const days = daysListed(query)
  return (
    <Page title={texts.history.title} intro={texts.person.historyIntro}>
      <div class="toolbar">
        <SelectField
          name="kind"
          label={texts.history.kind}
          value={query.get('kind') ?? ''}
          onValue={(next) => changeQuery({ kind: next || null, record: null })}
          options={[
            { value: '', text: texts.common.all },
            ...kindsOfEvents.map((one) => ({ value: one, text: texts.history.kinds[one] })),
          ]}
        />
        <ByWhom actor={query.get('actor')} />
        <TextField
          name="from"
          type="date"
          label={texts.history.from}
          value={query.get('from') ?? ''}
          onValue={(from) => changeQuery({ from: from || null })}
        />
        <TextField
          name="to"
          type="date"
          label={texts.history.to}
          fault={fault}
          value={query.get('to') ?? ''}
          onValue={(to) => changeQuery({ to: to || null })}
        />
      </div>
      <p class="actions">
        {daysBack.map((back) => (
          <button
            key={back}
            type="button"
            class="quiet"
            onClick={() => changeQuery({ from: dayBefore(back), to: dayBefore(back) })}
          >
            {texts.history.days[back]}
          </button>
        ))}
        {days && !fault && (
          <button
            type="button"
            class="quiet"
            onClick={() => changeQuery({ from: null, to: dayBefore(1, new Date(`${days.from}T00:00`)) })}
          >
            {texts.history.earlier}
          </button>
        )}
      </p>
      <section class="card" aria-label={texts.history.title}>
        {record && list.first.data && <OneRecord record={record} events={list.items} />}
        {days && !fault && (
          <p class="hint" role="status">
            {texts.history.listed(plainDateText(days.from, texts), plainDateText(days.to, texts))}
          </p>
        )}
        <Growing
          list={list}
          none={days ? texts.history.noneOnDays : texts.history.none}
          more={texts.person.olderHistory}
        >
          {(events) =>
            // A part of the time can have nothing that fits, though there is more.
            events.length > 0 ? <Events events={events} withRecords /> : <p class="hint">{texts.history.noneYet}</p>
          }
        </Growing>
      </section>
    </Page>
  )
}

/** People and tokens, whose changes alone are shown. */
function ByWhom({ actor }: { actor: string | null }) {
  const texts = useTexts()
  const names = usePeopleNames(actor ? [actor] : [])
  // What is not the id of a person is that of a token.
  const kind = actor && names.get(actor) === actor ? 'SERVICE_TOKEN' : 'USER'
  const text = useActorText(actor ? { id: actor, kind, request_id: null, operation: '' } : undefined)
  return (
    <Combobox
      name="actor"
      label={texts.history.actor}
      value={actor ? { value: actor, text } : null}
      onValue={(option) => changeQuery({ actor: option?.value ?? null })}
      search={(typed, signal) => findActors(typed, texts.person.byToken, signal)}
    />
  )
}

type OneRecordProperties = { record: NonNullable<ReturnType<typeof recordIn>>; events: readonly Schemas['Event'][] }

/** Whose history is shown, and how to see that of all. */
function OneRecord({ record: { kind, id }, events }: OneRecordProperties) {
  const texts = useTexts()
  // Those of a task, and of what has been deleted, are told by events alone.
  learnTitles(events)
  const titled = hasTitle(kind) ? { kind, id } : undefined
  const titleOf = useTitles(titled ? [titled] : [])
  const names = usePeopleNames(kind === 'user' ? [id] : [])
  const name = kind.endsWith('_settings') ? texts.history.kinds[kind] : (names.get(id) ?? id)
  return (
    <p class="hint">
      {texts.history.oneRecord(titled ? titleOf(titled) : name)}{' '}
      <button type="button" class="quiet" onClick={() => changeQuery({ kind: null, record: null })}>
        {texts.history.allRecords}
      </button>
    </p>
  )
}
