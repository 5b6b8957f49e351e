import { expect } from 'vitest'
import { canonicalJson } from '../../domain/base/text.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { announceExpiry } from '../../domain/people/tokens/announceExpiry.ts'
import { keyIn } from '../../domain/table/items.ts'
import type { StoredEvent } from '../../domain/table/recording.ts'
import type { Item } from '../../domain/table/store.ts'
import { bodyOf, TEST } from '../../domain/webhooks/message.ts'
import { serviceAccountId } from '../../local/identity/tokenEndpoint.ts'
import { eventTypes } from '../../schemas/events.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'

/** Later than the expiry of tokens is announced, in the minute of each hour in which that happens. */
const LATER_MS = (340 * 24 * 60 + 17) * 60_000

/**
 * A message of each type, as a webhook gets it: what calls have caused in a service, and for other types what happens by itself
 * in the next year. `lasting` replaces what differs from run to run.
 */
export async function sentMessages(service: Service, lasting: (text: string) => string): Promise<Record<string, Any>> {
  await becomeRuled()
  const first = await messagesIn(service, lasting)
  const clock = () => new Date(service.now().getTime() + LATER_MS)
  const later = { store: service.store, clock, timeLeft: () => 60_000, log: () => {} }
  await purgeUsers(later)
  await announceExpiry(later)
  const sent: Record<string, Any> = { ...(await messagesIn(service, lasting)), ...first }
  return Object.fromEntries([...eventTypes, TEST].flatMap((type) => (sent[type] ? [[type, sent[type]]] : [])))
}

/** What no example of the reference does: an assignment by hand is taken away that a rule gives, too, and stays as one by rule. */
async function becomeRuled(): Promise<void> {
  const assignment = { group_id: 'commercial', user_id: 'user-030', role_id: 'group-member' }
  const { group_id, user_id, role_id } = assignment
  const by = { as: serviceAccountId }
  const answers = [
    await call('createGroupAssignment', { ...by, path: { group_id }, body: { user_id, role_id } }),
    await call('updateUser', {
      ...by,
      path: { user_id },
      body: { attributes: [{ name: 'department', value: 'Sales' }] },
    }),
    await call('deleteGroupAssignment', { ...by, path: assignment }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200])
}

/** Of each type the longest message, as it shows most; one that a call has caused, if there is one. */
async function messagesIn(service: Service, lasting: (text: string) => string): Promise<Record<string, Any>> {
  const now = service.now().toISOString()
  const send = async (event: Pick<Any, 'key' | 'type'>) =>
    lasting(JSON.stringify(await bodyOf(service.store, 'hook-5', event as never, now), inOrder))
  const events = (await dump(service)).filter(({ pk }) => pk.startsWith('EVENTS#')) as (Item & StoredEvent)[]
  const texts = await Promise.all(
    events.map(async (event) => ({
      byCall: event.actor !== null,
      text: await send({ key: keyIn(event), type: event.type }),
    })),
  )
  const best = texts.sort((a, b) => Number(a.byCall) - Number(b.byCall) || byLength(a.text, b.text))
  const sent = best.map(({ text }) => JSON.parse(text))
  return {
    ...Object.fromEntries(sent.map((one) => [one.type, one])),
    [TEST]: JSON.parse(await send({ key: null, type: TEST })),
  }
}

/** The database answers members of objects and recipients in any order. */
const inOrder = (name: string, value: Any): unknown =>
  name === 'changes'
    ? value.map(({ field, before, after }: Any) => ({
        field,
        before: sorted(field, before),
        after: sorted(field, after),
      }))
    : value

const sorted = (field: string, value: Any): unknown =>
  field === 'recipients' && value ? value.toSorted() : JSON.parse(canonicalJson(value))

const byLength = (one: string, other: string): number => one.length - other.length || (one < other ? -1 : 1)
