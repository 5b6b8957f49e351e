import { linkTo } from '../address.ts'
import type { Schemas } from '../data/api.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { textOf, useTexts } from '../texts/texts.ts'
import { LinkTo } from './LinkTo.tsx'
import { Time } from './Time.tsx'

type Event = Schemas['Event']

/** Events, newest first: when, who, what, and each value before and after. `withRecords`: also what each is about. */
export function Events({ events, withRecords = false }: { events: readonly Event[]; withRecords?: boolean }) {
  const texts = useTexts()
  const actors = events.flatMap(({ actor }) => (actor.kind === 'USER' && actor.id ? [actor.id] : []))
  const users = withRecords ? events.flatMap(({ record }) => personIn(record) ?? []) : []
  const names = usePeopleNames([...actors, ...users])
  return (
    <ol class="events">
      {events.map((event) => (
        <li key={event.id}>
          <p class="event-head">
            <strong>{textOf(texts.events, event.type)}</strong>
            {withRecords && <About record={event.record} names={names} />}
            <span>
              <Time at={event.time} /> · <Actor actor={event.actor} names={names} />
            </span>
          </p>
          {event.changes.length > 0 && (
            <details>
              <summary>{event.changes.map(({ field }) => textOf(texts.fields, field)).join(', ')}</summary>
              <dl class="changes">
                {event.changes.map((change) => (
                  <Change key={change.field} change={change} />
                ))}
              </dl>
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}

function Actor({ actor, names }: { actor: Event['actor']; names: ReadonlyMap<string, string> }) {
  const texts = useTexts()
  if (actor.kind === 'SERVICE_TOKEN') return <>{texts.person.byToken(actor.id ?? '')}</>
  if (actor.kind === 'SYSTEM' || !actor.id) return <>{texts.person.bySystem}</>
  return <LinkTo to={linkTo('person', { id: actor.id })}>{names.get(actor.id) ?? actor.id}</LinkTo>
}

/** The person that a record is about, or belongs to: the ids of a role held, or of a task got, are joined by `~`. */
function personIn({ kind, id }: Event['record']): string | undefined {
  if (kind === 'user') return id
  return kind.endsWith('_assignment') ? id.split('~')[1] : undefined
}

/** The screens of records, by kind. */
const screenOfKind: Partial<Record<Event['record']['kind'], string>> = {
  user: 'person',
  user_group: 'group',
  user_group_rule: 'rule',
  channel: 'channel',
  webhook: 'webhook',
  plan: 'plan',
}

function About({ record, names }: { record: Event['record']; names: ReadonlyMap<string, string> }) {
  const person = personIn(record)
  const screen = screenOfKind[record.kind]
  if (person) return <LinkTo to={linkTo('person', { id: person })}>{names.get(person) ?? person}</LinkTo>
  if (screen) return <LinkTo to={linkTo(screen, { id: record.id })}>{record.id}</LinkTo>
  return <span dir="auto">{record.id}</span>
}

function Change({ change }: { change: Event['changes'][number] }) {
  const texts = useTexts()
  const { field, before, after } = change
  const isHidden = before === undefined && after === undefined
  return (
    <div>
      <dt>{textOf(texts.fields, field)}</dt>
      <dd dir="auto">
        {isHidden ? (
          texts.person.hidden
        ) : (
          <>
            <span class="visually-hidden">{texts.person.before}: </span>
            <del>{valueText(before, texts.common.none)}</del>
            <span aria-hidden="true"> → </span>
            <span class="visually-hidden">{texts.person.after}: </span>
            <ins>{valueText(after, texts.common.none)}</ins>
          </>
        )}
      </dd>
    </div>
  )
}

/** A value of any field as text: lists by their names and values. */
export function valueText(value: unknown, none: string): string {
  if (value === null || value === undefined || value === '') return none
  if (Array.isArray(value)) return value.length === 0 ? none : value.map((one) => valueText(one, none)).join(', ')
  if (typeof value !== 'object') return String(value)
  const parts = value as { name?: string; value?: string; text?: string }
  if (parts.name !== undefined) return parts.value === undefined ? parts.name : `${parts.name}: ${parts.value}`
  return parts.text ?? JSON.stringify(value)
}
