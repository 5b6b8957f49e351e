import { useMemo } from 'preact/hooks'
import { linkTo } from '../address.ts'
import type { Schemas } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import { attributePrefix, type Change as ChangeShown, separateChanges, titleInEvent } from '../data/changes.ts'
import { fieldText } from '../data/fieldText.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { useRead } from '../data/useRead.ts'
import { useReadableTasks } from '../data/useReadableTasks.ts'
import {
  hasTitle,
  learnTitle,
  type Title,
  type Titled,
  titledIn,
  titledInChanges,
  useTitles,
} from '../data/useTitles.ts'
import { textOf, useTexts } from '../texts/texts.ts'
import { LinkTo } from './LinkTo.tsx'
import { Time } from './Time.tsx'

export { fieldText }

type Event = Schemas['Event']

/** Events, newest first: when, who, what, and each value before and after. `withRecords`: also what each is about. */
export function Events({ events, withRecords = false }: { events: readonly Event[]; withRecords?: boolean }) {
  const texts = useTexts()
  const actors = events.flatMap(({ actor }) => (actor.kind === 'USER' && actor.id ? [actor.id] : []))
  /** At the page of a person, too, roles say where they are. */
  const isShown = ({ record }: Pick<Event, 'record'>) => withRecords || record.kind.endsWith('_assignment')
  const users = withRecords ? events.flatMap(({ record }) => personIn(record) ?? []) : []
  const changes = events.map((event) => separateChanges(event.changes))
  const named = changes.flat().flatMap(({ field, before, after }) => (field === 'user_id' ? [before, after] : []))
  const names = usePeopleNames([...actors, ...users, ...named.filter((id) => typeof id === 'string')])
  const hasAttributes = changes.flat().some(({ field }) => field.startsWith(attributePrefix))
  const { data: attributes = [] } = useRead(hasAttributes ? 'attributes' : null, readAttributes)
  const nameOf = (field: string) => {
    const name = field.startsWith(attributePrefix) ? field.slice(attributePrefix.length) : undefined
    return name ? (attributes.find((one) => one.name === name)?.title ?? name) : textOf(texts.fields, field)
  }
  useMemo(() => learnTitles(events), [events])
  const titleOf = useTitles([
    ...events.flatMap(({ record }) => (isShown({ record }) || isOfTask(record) ? titledOf(record) : [])),
    ...events.flatMap(({ actor }): Titled[] =>
      actor.kind === 'SERVICE_TOKEN' && actor.id ? [{ kind: 'service_token', id: actor.id }] : [],
    ),
    ...titledInChanges(events.flatMap(({ changes }) => changes)),
  ])
  const readable = useReadableTasks(events.flatMap(({ record }) => (isOfTask(record) ? taskIn(record) : [])))
  return (
    <ol class="events">
      {events.map((event, n) => (
        <li key={event.id}>
          <p class="event-head">
            <strong>{textOf(texts.events, event.type)}</strong>
            {withRecords && personIn(event.record) && <Person id={personIn(event.record) ?? ''} names={names} />}
            {isOfTask(event.record) ? (
              <TaskTitle record={event.record} readable={readable} titleOf={titleOf} />
            ) : (
              isShown(event) && <About record={event.record} titleOf={titleOf} />
            )}
            <span>
              <Time at={event.time} /> · <Actor actor={event.actor} names={names} titleOf={titleOf} />
            </span>
          </p>
          {event.changes.length > 0 && (
            <details>
              <summary>{changes[n]?.map(({ field }) => nameOf(field)).join(', ')}</summary>
              <dl class="changes">
                {changes[n]?.map((change) => (
                  <Change
                    key={change.field}
                    name={nameOf(change.field)}
                    change={change}
                    names={names}
                    titleOf={titleOf}
                  />
                ))}
              </dl>
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Takes the titles that events tell, so that they are not read. The newest events come first, so the newest title counts. */
export function learnTitles(events: readonly Event[]): void {
  for (const event of events) {
    const { kind, id } = event.record
    const title = titleInEvent(event)
    if (hasTitle(kind) && title) learnTitle({ kind, id }, title as Title)
  }
}

type ActorProperties = { actor: Event['actor']; names: ReadonlyMap<string, string>; titleOf: TitleOf }

function Actor({ actor, names, titleOf }: ActorProperties) {
  const texts = useTexts()
  if (actor.kind === 'SERVICE_TOKEN')
    return (
      <LinkTo to={linkTo('connections')}>
        {texts.person.byToken(titleOf({ kind: 'service_token', id: actor.id ?? '' }))}
      </LinkTo>
    )
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
  if (kind === 'task_assignment') return [{ kind: 'task', id: first }]
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
type Names = ReadonlyMap<string, string>

function Person({ id, names }: { id: string; names: Names }) {
  return <LinkTo to={linkTo('person', { id })}>{names.get(id) ?? id}</LinkTo>
}

/** What is not a person: a record by its title, where it has one, and as a link, where it has a screen. */
function About({ record, titleOf }: { record: Event['record']; titleOf: TitleOf }) {
  const texts = useTexts()
  if (record.kind === 'user' || record.kind.endsWith('_settings')) return null
  const screen = screenOfKind[record.kind]
  const found = titledOf(record).map(titleOf).join(' · ')
  // Plans need no title, and their ids are long.
  const title = record.kind === 'plan' && found === record.id ? texts.plans.one : found
  if (record.kind === 'service_token') return <LinkTo to={linkTo('connections')}>{title}</LinkTo>
  if (screen) return <LinkTo to={linkTo(screen, { id: record.id })}>{title || record.id}</LinkTo>
  return <span dir="auto">{title || (personIn(record) ? '' : record.id)}</span>
}

const isOfTask = ({ kind }: Event['record']): boolean => kind === 'task' || kind === 'task_assignment'
const taskIn = ({ id }: Event['record']): string => id.split('~')[0] ?? ''

type TaskProperties = { record: Event['record']; readable: ReadonlySet<string>; titleOf: TitleOf }

/** The title of a task: a link where it is still there, and the reader's to read. */
function TaskTitle({ record, readable, titleOf }: TaskProperties) {
  const id = taskIn(record)
  const title = titleOf({ kind: 'task', id })
  return readable.has(id) ? <LinkTo to={linkTo('task', { id })}>{title}</LinkTo> : <span dir="auto">{title}</span>
}

type ChangeProperties = { name: string; change: ChangeShown; names: Names; titleOf: TitleOf }

function Change({ name: title, change, names, titleOf }: ChangeProperties) {
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
      <dt>{title}</dt>
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
