import { linkTo } from '../address.ts'
import type { Schemas } from '../data/api.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { hasTitle, type Titled, titledIn, titledInChanges, useTitles } from '../data/useTitles.ts'
import { type Texts, textOf, useTexts } from '../texts/texts.ts'
import { LinkTo } from './LinkTo.tsx'
import { Time } from './Time.tsx'

type Event = Schemas['Event']

/** Events, newest first: when, who, what, and each value before and after. `withRecords`: also what each is about. */
export function Events({ events, withRecords = false }: { events: readonly Event[]; withRecords?: boolean }) {
  const texts = useTexts()
  const actors = events.flatMap(({ actor }) => (actor.kind === 'USER' && actor.id ? [actor.id] : []))
  const users = withRecords ? events.flatMap(({ record }) => personIn(record) ?? []) : []
  const names = usePeopleNames([...actors, ...users])
  const titleOf = useTitles([
    ...(withRecords ? events.flatMap(({ record }) => titledOf(record)) : []),
    ...titledInChanges(events.flatMap(({ changes }) => changes)),
  ])
  return (
    <ol class="events">
      {events.map((event) => (
        <li key={event.id}>
          <p class="event-head">
            <strong>{textOf(texts.events, event.type)}</strong>
            {withRecords && <About record={event.record} names={names} titleOf={titleOf} />}
            <span>
              <Time at={event.time} /> · <Actor actor={event.actor} names={names} />
            </span>
          </p>
          {event.changes.length > 0 && (
            <details>
              <summary>{event.changes.map(({ field }) => textOf(texts.fields, field)).join(', ')}</summary>
              <dl class="changes">
                {event.changes.map((change) => (
                  <Change key={change.field} change={change} names={names} titleOf={titleOf} />
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

/** The records that a record is about whose titles people know. */
function titledOf({ kind, id }: Event['record']): Titled[] {
  if (hasTitle(kind)) return [{ kind, id }]
  const [first = '', second = '', third = ''] = id.split('~')
  if (kind === 'channel_user_group')
    return [
      { kind: 'channel', id: first },
      { kind: 'user_group', id: second },
    ]
  if (kind !== 'user_group_assignment' && kind !== 'channel_assignment') return []
  return [
    { kind: kind === 'channel_assignment' ? 'channel' : 'user_group', id: first },
    { kind: 'role', id: third },
  ]
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

type TitleOf = (record: Titled) => string
type AboutProperties = { record: Event['record']; names: ReadonlyMap<string, string>; titleOf: TitleOf }

function About({ record, names, titleOf }: AboutProperties) {
  const texts = useTexts()
  const person = personIn(record)
  const titled = titledOf(record)
  const screen = screenOfKind[record.kind]
  const found = titled.map(titleOf).join(' · ')
  // Plans need no title, and their ids are long.
  const title = record.kind === 'plan' && found === record.id ? texts.plans.one : found
  if (person)
    return (
      <>
        <LinkTo to={linkTo('person', { id: person })}>{names.get(person) ?? person}</LinkTo>
        {title && <span dir="auto">{title}</span>}
      </>
    )
  if (screen) return <LinkTo to={linkTo(screen, { id: record.id })}>{title || record.id}</LinkTo>
  return <span dir="auto">{title || record.id}</span>
}

type ChangeProperties = Omit<AboutProperties, 'record'> & { change: Event['changes'][number] }

function Change({ change, names, titleOf }: ChangeProperties) {
  const texts = useTexts()
  const { field, before, after } = change
  const isHidden = before === undefined && after === undefined
  const shown = (value: unknown) => {
    const titled = titledIn(field, value)
    const name = field === 'user_id' ? names.get(String(value)) : undefined
    return titled ? titleOf(titled) : (name ?? fieldText(field, value, texts))
  }
  return (
    <div>
      <dt>{textOf(texts.fields, field)}</dt>
      <dd dir="auto">{isHidden ? texts.person.hidden : <BeforeAfter before={shown(before)} after={shown(after)} />}</dd>
    </div>
  )
}

/** A value before and after a change. */
export function BeforeAfter({ before, after }: { before: string; after: string }) {
  const texts = useTexts()
  return (
    <>
      <span class="visually-hidden">{texts.person.before}: </span>
      <del>{before}</del>
      <span aria-hidden="true"> → </span>
      <span class="visually-hidden">{texts.person.after}: </span>
      <ins>{after}</ins>
    </>
  )
}

/** The value of a field as text: what has a word has that. */
export function fieldText(field: string, value: unknown, texts: Texts): string {
  const words = field === 'status' ? texts.status : field === 'role' ? texts.role : undefined
  return words && typeof value === 'string' ? textOf(words, value) : valueText(value, texts.common.none)
}

/** A value of any field: lists by their names and values. */
function valueText(value: unknown, none: string): string {
  if (value === null || value === undefined || value === '') return none
  if (Array.isArray(value)) return value.length === 0 ? none : value.map((one) => valueText(one, none)).join(', ')
  if (typeof value !== 'object') return String(value)
  const parts = value as { name?: string; value?: string; text?: string }
  if (parts.name !== undefined) return parts.value === undefined ? parts.name : `${parts.name}: ${parts.value}`
  return parts.text ?? JSON.stringify(value)
}
