import { api } from '../data/api.ts'
import { useRead } from '../data/useRead.ts'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** The groups of this person, with the roles that they have there. */
export function OwnGroups() {
  const texts = useTexts()
  const read = useRead('own groups', async (signal) => {
    const query = { page_limit: 20 }
    return (await api.GET('/api/users/v4/me/user-groups', { signal, params: { query } })).data.user_groups
  })
  return (
    <HomeCard
      title={texts.home.groups}
      read={read}
      none={texts.home.groupsNone}
      keyOf={({ user_group: { id } }) => id}
      line={({ user_group: { id, title }, roles }) => (
        <>
          <span dir="auto">{title?.text ?? id}</span>
          <span class="note">{roles.map((role) => role.title?.text ?? role.id).join(', ')}</span>
        </>
      )}
    />
  )
}
