import type { StoredEvent } from '../../domain/table/recording.ts'
import type { Item, Key } from '../../domain/table/store.ts'

/** An event as it is stored. */
export type EventItem = StoredEvent & Item

export const isEvent = ({ pk }: Key): boolean => pk.startsWith('EVENTS#')

/** The keys of records with events, by their kind and the parts of their id. */
const keyOf: Readonly<Record<string, (...ids: string[]) => string>> = {
  user: (id) => `USER#${id} USER`,
  user_group: (id) => `GROUP#${id} GROUP`,
  user_group_assignment: (group, user, role) => `USER#${user} GA#${group}#${role}`,
  user_group_rule: (id) => `RULES RULE#${id}`,
  role: (id) => `ROLE#${id} ROLE`,
  attribute_definition: (id) => `ATTRIBUTE#${id} ATTRIBUTE`,
  channel: (id) => `CHANNEL#${id} CHANNEL`,
  channel_user_group: (channel, group) => `CHANNEL#${channel} G#${group}`,
  channel_assignment: (channel, user, role) => `USER#${user} CA#${channel}#${role}`,
  task: (id) => `TASK#${id} TASK`,
  task_assignment: (task, user) => `USER#${user} TA#${task}`,
  organisation_settings: () => 'ORGANISATION ORGANISATION',
  calendar_settings: () => 'CALENDAR SETTINGS',
  service_token: (id) => `SERVICE_TOKENS ${id}`,
  webhook: (id) => `WEBHOOKS W#${id}`,
  plan: (id) => `PLANS P#${id}`,
}

/** The key of an event's record, as text. */
export function recordOfEvent(item: Item): string {
  const { kind, id } = item as EventItem
  return keyOf[kind]?.(...String(id).split('~')) ?? `${kind} ${id}`
}

const containers: Readonly<Record<string, (...ids: string[]) => string[]>> = {
  user_group_assignment: (group, user) => [`GROUP#${group} GROUP`, `USER#${user} USER`],
  channel_user_group: (channel, group) => [`CHANNEL#${channel} CHANNEL`, `GROUP#${group} GROUP`],
  channel_assignment: (channel, user) => [`CHANNEL#${channel} CHANNEL`, `USER#${user} USER`],
  task_assignment: (task, user) => [`TASK#${task} TASK`, `USER#${user} USER`],
}

/** The records whose deletion ends the record of an event, too. */
export const containersOf = ({ kind, id }: EventItem): string[] => containers[kind]?.(...String(id).split('~')) ?? []

/** Parses such a text to a key. */
export const keyOfRecord = (record: string): Key => {
  const end = record.indexOf(' ')
  return { pk: record.slice(0, end), sk: record.slice(end + 1) }
}
