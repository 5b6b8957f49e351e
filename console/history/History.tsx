import { changeQuery } from '../address.ts'
import { api } from '../data/api.ts'
import { findUsers } from '../data/choices.ts'
import { plainDateText } from '../data/moments.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Events } from '../parts/Events.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { Page } from '../parts/Page.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { dayBefore, daysListed, type EventType, faultOfDays, historyQuery, kindsOfEvents } from './historyQuery.ts'

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
  const [kind, actor] = [query.get('kind') ?? '', query.get('actor')]
  const names = usePeopleNames(actor ? [actor] : [])
  const isOneRecord = query.get('record') !== null
  const days = daysListed(query)
  return (
    <Page title={texts.history.title} intro={texts.person.historyIntro}>
      <div class="toolbar">
        <SelectField
          name="kind"
          label={texts.history.kind}
          value={kind}
          onValue={(next) => changeQuery({ kind: next || null, record: null })}
          options={[
            { value: '', text: texts.common.all },
            ...kindsOfEvents.map((one) => ({ value: one, text: texts.history.kinds[one] })),
          ]}
        />
        <Combobox
          name="actor"
          label={texts.history.actor}
          value={actor ? { value: actor, text: names.get(actor) ?? actor } : null}
          onValue={(option) => changeQuery({ actor: option?.value ?? null })}
          search={findUsers}
        />
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
        {isOneRecord && (
          <p class="hint">
            {texts.history.oneRecord}{' '}
            <button type="button" class="quiet" onClick={() => changeQuery({ record: null })}>
              {texts.history.allRecords}
            </button>
          </p>
        )}
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
