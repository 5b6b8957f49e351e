import { type AppError, errorOf, type Fault, type Found, faultAt } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { type calendarFaults, dueDateFaults, type GivenDueDate } from './dueDate.ts'
import { isDeeperThan } from './nesting.ts'
import type { Task } from './task.ts'
import { bodyFrom, type GivenBody, type TaskBody } from './taskBody.ts'

/** Whom a task is given to when it is created. */
export type GivenRecipient = { id: string; type: 'USER' | 'CHANNEL' }

const MOST_USERS = 100
/** What clients keep with a task, as JSON: so long, and so deep. */
const MOST_SETTINGS = 10_000
const DEEPEST_SETTINGS = 30
/** The table takes items of 400 kB, and a task has other fields and its places in lists besides. */
const MOST_BYTES = 404_000

/**
 * What is wrong with the input of a creation or a patch beyond what its schema says, and the task's body in it as it is
 * stored. It may have other faults besides, so nothing of its form is taken for granted.
 */
export function judgedTask(
  given: unknown,
  faultsOfDueDate: typeof calendarFaults = dueDateFaults,
): { fault: AppError | undefined; body: TaskBody } {
  const { recipients, body, due_at, settings } = recordOf(given) ?? {}
  const text = bodyFrom(isTextual(body, bodyNames) && isFormat(body.content_format) ? (body as GivenBody) : null)
  const faults = [
    ...recipientFaults(recipients),
    ...faultsOf('VALIDATION_ERROR', text.faults),
    ...(isDueDate(due_at) ? faultsOf('INVALID_DUE_DATE', faultsOfDueDate(due_at)) : []),
    ...settingsFaults(settings),
  ]
  return { fault: errorOf(faults), body: text.body }
}

/** Faults that stand for a code. */
export const faultsOf = (code: Found['code'], faults: readonly Fault[]): Found[] =>
  faults.map((fault) => ({ code, fault }))

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined

const bodyNames: readonly (keyof GivenBody)[] = [
  'plain',
  'delta',
  'html',
  'content_format',
  'contentPlain',
  'contentDelta',
  'contentHtml',
]
const dueDateNames: readonly (keyof GivenDueDate)[] = ['due_at_type', 'date', 'date_time']

/** Whether a value is an object whose members of these names are texts, null or absent. Its schema refuses other members. */
function isTextual<N extends string>(value: unknown, names: readonly N[]): value is Partial<Record<N, string | null>> {
  const members = recordOf(value)
  return members !== undefined && names.every((name) => typeof (members[name] ?? '') === 'string')
}

const isDueDate = (value: unknown): value is GivenDueDate =>
  isTextual(value, dueDateNames) && [undefined, 'DATE', 'DATE_TIME'].includes(value.due_at_type ?? undefined)

const isFormat = (value: unknown): boolean =>
  value === undefined || value === null || value === 'PLAIN' || value === 'DELTA' || value === 'HTML'

const isRecipient = (value: unknown): value is GivenRecipient => {
  const { id, type } = recordOf(value) ?? {}
  return typeof id === 'string' && (type === 'USER' || type === 'CHANNEL')
}

/** The recipients that are named, each once. */
const distinct = (recipients: readonly GivenRecipient[]): GivenRecipient[] => [
  ...new Map(recipients.map((one) => [`${one.type} ${one.id}`, one])).values(),
]

function recipientFaults(given: unknown): Found[] {
  const named = Array.isArray(given) ? distinct(given.filter(isRecipient)) : []
  const channels = named.filter(({ type }) => type === 'CHANNEL').length
  const users = named.length - channels
  if (channels > 0 && users > 0) return [faultAt('DIFFERENT_RECIPIENT_TYPES', 'recipients', 'must be of one type')]
  if (channels > 1) return [faultAt('RECIPIENTS_CHANNEL_LIMIT_EXCEEDED', 'recipients', 'must be one channel only')]
  if (users <= MOST_USERS) return []
  return [faultAt('VALIDATION_ERROR', 'recipients', `must NOT have more than ${MOST_USERS} users`)]
}

/** What is wrong with what clients keep with a task; `extent` says what counts, where it is more than what was sent. */
export function settingsFaults(settings: unknown, extent = ''): Found[] {
  if (!recordOf(settings)) return []
  // Before anything else: what is too deep cannot even be written as JSON.
  if (isDeeperThan(DEEPEST_SETTINGS, settings))
    return [faultAt('VALIDATION_ERROR', 'settings', `must NOT be nested deeper than ${DEEPEST_SETTINGS} levels`)]
  if (charactersIn(JSON.stringify(settings)) <= MOST_SETTINGS) return []
  return [
    faultAt('VALIDATION_ERROR', 'settings', `must NOT have more than ${MOST_SETTINGS} characters as JSON${extent}`),
  ]
}

/** Refuses a task that the table could not take, although each of its texts is short enough. */
export function unlessTooLarge(task: Task): Task {
  const { plain = '', delta = '', html = '' } = task.body
  const bytes = Buffer.byteLength(`${plain}${delta}${html}${task.settings ?? ''}`)
  if (bytes <= MOST_BYTES) return task
  const message = `must NOT take more than ${MOST_BYTES} bytes together with settings, plain text included: it takes ${bytes}`
  throw errorOf([faultAt('VALIDATION_ERROR', 'body', message)])
}
