import { type AppError, type CodedFault, errorOf, type Fault, faultAt, refuseFault } from '../base/errors.ts'
import { invalidDay, invalidMoment, isDay, momentOf } from '../base/moments.ts'
import { charactersIn } from '../base/text.ts'
import { asRecord, isDeeperThan, isGiven } from '../base/values.ts'
import type { Task } from './task.ts'
import { type BodyInput, bodyFrom, type TaskBody } from './taskBody.ts'

/** A user or channel that a new task is given to. */
export type NewRecipient = { id: string; type: 'USER' | 'CHANNEL' }

/** When a task is due, as it is stored. */
type DueDate = NonNullable<Task['due_at']>

/** When a task is due, as clients send it; in a patch, a field that is missing stays as it is. */
type NewDueDate = {
  due_at_type?: 'DATE' | 'DATE_TIME' | undefined
  date?: string | null | undefined
  date_time?: string | null | undefined
}

const MOST_USERS = 100
/** Characters and levels of the settings as JSON. */
const MOST_SETTINGS = 10_000
const DEEPEST_SETTINGS = 30
/** DynamoDB takes items of 400 KiB. The rest is for the other fields of a task and its sort keys in lists. */
const MOST_TEXT_BYTES = 404_000

/**
 * Faults of a creation or a patch that its schema does not find, and the task's body as it is stored.
 * The schema may have refused the input already, so it may have any form.
 */
export function checkedTask(
  input: unknown,
  faultsOfDueDate: typeof unknownDateFaults = dueDateFaults,
): { fault: AppError | undefined; body: TaskBody } {
  const { recipients, body, due_at, settings } = asRecord(input) ?? {}
  const text = bodyFrom(isTextual(body, bodyNames) && isFormat(body.content_format) ? (body as BodyInput) : null)
  const faults = [
    ...recipientFaults(recipients),
    ...codedFaults('VALIDATION_ERROR', text.faults),
    ...(isDueDate(due_at) ? codedFaults('INVALID_DUE_DATE', faultsOfDueDate(due_at)) : []),
    ...settingsFaults(settings),
  ]
  return { fault: errorOf(faults), body: text.body }
}

/** Faults with their error code. */
export const codedFaults = (code: CodedFault['code'], faults: readonly Fault[]): CodedFault[] =>
  faults.map((fault) => ({ code, fault }))

const contentNames = ['content_format', 'contentPlain', 'contentDelta', 'contentHtml'] as const
const bodyNames = ['plain', 'delta', 'html', ...contentNames] as const
const dueDateNames = ['due_at_type', 'date', 'date_time'] as const

/** Whether a value is an object whose fields of these names are texts, null or absent. Its schema refuses other fields. */
function isTextual<N extends string>(value: unknown, names: readonly N[]): value is Partial<Record<N, string | null>> {
  const fields = asRecord(value)
  return fields !== undefined && names.every((name) => !isGiven(fields[name]) || typeof fields[name] === 'string')
}

const isOneOf = (value: string | null | undefined, words: readonly string[]): boolean =>
  value === undefined || value === null || words.includes(value)
const isDueDate = (value: unknown): value is NewDueDate =>
  isTextual(value, dueDateNames) && isOneOf(value.due_at_type, ['DATE', 'DATE_TIME'])
const isFormat = (value: string | null | undefined): boolean => isOneOf(value, ['PLAIN', 'DELTA', 'HTML'])

function recipientFaults(recipients: unknown): CodedFault[] {
  if (!Array.isArray(recipients)) return []
  const idsOf = (wanted: NewRecipient['type']): string[] =>
    recipients.map(asRecord).flatMap((one) => (one?.type === wanted && typeof one.id === 'string' ? [one.id] : []))
  const countOf = (wanted: NewRecipient['type']): number => new Set(idsOf(wanted)).size
  const [channels, users] = [countOf('CHANNEL'), countOf('USER')]
  if (channels > 0 && users > 0) return [faultAt('DIFFERENT_RECIPIENT_TYPES', 'recipients', 'must be of one type')]
  if (channels > 1) return [faultAt('RECIPIENTS_CHANNEL_LIMIT_EXCEEDED', 'recipients', 'must be one channel only')]
  if (users <= MOST_USERS) return []
  return [faultAt('VALIDATION_ERROR', 'recipients', `must have at most ${MOST_USERS} users`)]
}

/** Faults of the settings. `extent` ends a message about their length: it says that stored settings count, too. */
export function settingsFaults(settings: unknown, extent = ''): CodedFault[] {
  const fault = (message: string): CodedFault[] => [faultAt('VALIDATION_ERROR', 'settings', message)]
  if (!asRecord(settings)) return []
  // Comes first: settings that are too deep cannot even be written as JSON.
  if (isDeeperThan(DEEPEST_SETTINGS, settings))
    return fault(`must not be nested deeper than ${DEEPEST_SETTINGS} levels`)
  if (charactersIn(JSON.stringify(settings)) <= MOST_SETTINGS) return []
  return fault(`must have at most ${MOST_SETTINGS} characters as JSON${extent}`)
}

/** Refuses a task that DynamoDB could not take, although each of its texts is short enough. */
export function requireFitting<T extends { body: TaskBody; settings: string | null }>(task: T): T {
  const { plain = '', delta = '', html = '' } = task.body
  const bytes = Buffer.byteLength(`${plain}${delta}${html}${task.settings ?? ''}`)
  if (bytes <= MOST_TEXT_BYTES) return task
  const message = `must take at most ${MOST_TEXT_BYTES} bytes together with settings, plain text included: it takes ${bytes}`
  throw refuseFault('VALIDATION_ERROR', 'body', message)
}

/**
 * Faults of a due date: it must have the day or the moment, as its type says, and not the other one; both must
 * be in the calendar. The schema asks for the type.
 */
export function dueDateFaults({ due_at_type, ...due_at }: NewDueDate): Fault[] {
  if (!due_at_type) return unknownDateFaults(due_at)
  const [wanted, other] = due_at_type === 'DATE' ? (['date', 'date_time'] as const) : (['date_time', 'date'] as const)
  return [
    ...(isGiven(due_at[wanted]) ? [] : [{ property: `due_at.${wanted}`, message: 'must be given' }]),
    ...(isGiven(due_at[other])
      ? [{ property: `due_at.${other}`, message: `must not be given with ${due_at_type}` }]
      : []),
    ...unknownDateFaults(due_at),
  ]
}

/** Faults where the day or the moment of a due date is not in the calendar. */
export const unknownDateFaults = ({ date, date_time }: NewDueDate): Fault[] => [
  ...(isGiven(date) && !isDay(date) ? [{ property: 'due_at.date', message: invalidDay }] : []),
  ...(isGiven(date_time) && !momentOf(date_time) ? [{ property: 'due_at.date_time', message: invalidMoment }] : []),
]

/** A due date after a merge patch (RFC 7396), and its faults. Another type removes the former day or moment. */
export function patchedDueDate(
  stored: DueDate | null,
  patch: NewDueDate | null,
): { due_at: DueDate | null; faults: Fault[] } {
  if (patch === null) return { due_at: null, faults: [] }
  const { due_at_type = stored?.due_at_type } = patch
  if (!due_at_type) return { due_at: null, faults: [{ property: 'due_at.due_at_type', message: 'must be given' }] }
  const merged = { ...(stored?.due_at_type === due_at_type ? stored : {}), ...patch, due_at_type }
  return { due_at: dueDateFrom(merged), faults: dueDateFaults(merged) }
}

/** A due date without faults in the form that is stored. */
export function dueDateFrom(input: NewDueDate | null | undefined): DueDate | null {
  if (input?.date) return { due_at_type: 'DATE', date: input.date }
  const date_time = input?.date_time && momentOf(input.date_time)
  return date_time ? { due_at_type: 'DATE_TIME', date_time } : null
}
