import { api } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Events } from '../parts/Events.tsx'
import { Growing } from '../parts/Growing.tsx'
import { useTexts } from '../texts/texts.ts'

/** Who changed what about a person. */
export function PersonHistory({ userId }: { userId: string }) {
  const texts = useTexts()
  const list = useGrowing(
    `history ${userId}`,
    async (page, signal) => {
      const params = { path: { user_id: userId }, query: page }
      const { data } = await api.GET('/api/admin/users/v4/users/{user_id}/events', { signal, params })
      return { items: data.events, next: data.pagination.next_cursor }
    },
    10,
  )
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{texts.person.history}</h2>
      <p class="hint">{texts.person.historyIntro}</p>
      <Growing list={list} none={texts.person.historyNone} more={texts.person.olderHistory}>
        {(events) => <Events events={events} />}
      </Growing>
    </section>
  )
}
