import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Problem } from '../parts/Problem.tsx'
import { ShowMore } from '../parts/ShowMore.tsx'
import { useTexts } from '../texts/texts.ts'

/** A group as lists have it. */
export type ListedGroup = {
  id: string
  title: { text: string } | null
  number_of_contained_users?: number
  /** Whether groups lie below it, as far as that is known. */
  hasBelow?: boolean
}

/** A group, with those below it. What lies below one is read when it is opened. */
export const GroupTree = ({ root }: { root: ListedGroup }) => (
  <ul class="tree">
    <Branch group={root} isOpenFirst />
  </ul>
)

/** The groups directly below one. */
export const GroupsBelow = ({ id }: { id: string }) => (
  <div class="tree">
    <Below id={id} />
  </div>
)

function Branch({ group, isOpenFirst = false }: { group: ListedGroup; isOpenFirst?: boolean }) {
  const texts = useTexts()
  const [isOpen, setOpen] = useState(isOpenFirst)
  const title = group.title?.text ?? group.id
  const count = group.number_of_contained_users
  return (
    <li>
      <div class="branch">
        {group.hasBelow === false ? (
          <span class="leaf" />
        ) : (
          <button
            type="button"
            class="quiet icon"
            aria-expanded={isOpen}
            aria-label={texts.groups.below(title)}
            onClick={() => setOpen(!isOpen)}
          >
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          </button>
        )}
        <span>
          <a href={linkTo('group', { id: group.id })} dir="auto">
            {title}
          </a>{' '}
          {count !== undefined && <span class="note">{texts.people.count(count)}</span>}
        </span>
      </div>
      {isOpen && <Below id={group.id} />}
    </li>
  )
}

const atOnce = 100

/** Which of these groups have groups below; undefined if there are too many to know by one call. */
async function parentsAmong(groups: readonly ListedGroup[], signal: AbortSignal | null) {
  if (groups.length === 0) return undefined
  const query = { parent_id: groups.map(({ id }) => id), status: ['ACTIVE' as const], page_limit: atOnce }
  const { data } = await api.GET('/api/admin/users/v4/user-groups', { signal, params: { query } })
  return data.pagination.next_cursor ? undefined : new Set(data.groups.map(({ parent_id }) => parent_id))
}

function Below({ id }: { id: string }) {
  const texts = useTexts()
  const list = useGrowing(
    `below ${id}`,
    async (page, signal) => {
      const query = {
        ...page,
        parent_id: [id],
        status: ['ACTIVE' as const],
        embed: ['NUMBER_OF_CONTAINED_USERS' as const],
      }
      const { data } = await api.GET('/api/admin/users/v4/user-groups', { signal, params: { query } })
      const parents = await parentsAmong(data.groups, signal)
      const items = data.groups.map((group): ListedGroup => ({ ...group, hasBelow: parents?.has(group.id) ?? true }))
      return { items, next: data.pagination.next_cursor ?? null }
    },
    atOnce,
  )
  const { first, items } = list
  if (first.problem !== undefined) return <Problem problem={first.problem} again={first.again} />
  if (!first.data) return <p class="loading">{texts.common.loading}</p>
  if (items.length === 0) return <p class="none">{texts.groups.noneBelow}</p>
  return (
    <>
      <ul>
        {items.map((group) => (
          <Branch key={group.id} group={group} />
        ))}
      </ul>
      <ShowMore list={list} text={texts.groups.more} />
    </>
  )
}
