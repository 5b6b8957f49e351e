import { api } from '../data/api.ts'
import { useRead } from '../data/useRead.ts'
import { isAdministrator, useMe } from '../shell/me.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import type { Chosen } from './ChooseRecipients.tsx'

/** So many roles of a channel are looked at one by one; of larger channels only their number is known. */
const mostRoles = 100

/** How many people a channel has at most, without the reader: somebody may hold two roles, and not all are active. */
async function membersOf(channel_id: string, self: string, signal: AbortSignal): Promise<number> {
  const params = { path: { channel_id }, query: { page_limit: mostRoles, embed: ['USER' as const] } }
  const { data } = await api.GET('/api/admin/channels/v4/channels/{channel_id}/assignments/users', { signal, params })
  const { next_cursor: next, total_elements: total = 0 } = data.pagination
  if (next) return total
  const others = data.assignments.filter(({ id, user }) => id.user_id !== self && !user?.is_deleted)
  return new Set(others.map(({ id }) => id.user_id)).size
}

/** How many people get a task, before it is given. Only administrators may count the members of a channel. */
export function HowMany({ chosen: { kind, people, channel } }: { chosen: Chosen }) {
  const texts = useTexts()
  const me = useMe()
  const counted = kind === 'CHANNEL' && channel && isAdministrator(me) ? channel.value : null
  const read = useRead(counted, (signal) => membersOf(counted ?? '', me.id, signal), { keep: false })
  const text = kind === 'PEOPLE' ? ofPeople(people.length, texts) : channel && ofChannel(counted, read.data, texts)
  return (
    <p class="numbers" role="status">
      {text}
    </p>
  )
}

const ofPeople = (count: number, { tasks }: Texts) => (count > 0 ? tasks.willGet(count) : '')

function ofChannel(counted: string | null, count: number | undefined, { tasks }: Texts): string {
  if (counted === null) return tasks.numberLater
  if (count === undefined) return ''
  return count === 0 ? tasks.nobodyThere : tasks.atMost(count)
}
