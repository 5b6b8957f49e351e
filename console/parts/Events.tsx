import { linkTo } from '../address.ts'
import type { Schemas } from '../data/api.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { textOf, useTexts } from '../texts/texts.ts'
import { LinkTo } from './LinkTo.tsx'
import { Time } from './Time.tsx'

type Event = Schemas['Event']

/** Events, newest first: when, who, what, and each value before and after. */
export function Events({ events }: { events: readonly Event[] }) {
  const texts = useTexts()
  const actors = events.flatMap(({ actor }) => (actor.kind === 'USER' && actor.id ? [actor.id] : []))
  const names = usePeopleNames(actors)
  return (
    <ol class="events">
      {events.map((event) => (
        <li key={event.id}>
          <p class="event-head">
            <strong>{texts.events[event.type]}</strong>
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
