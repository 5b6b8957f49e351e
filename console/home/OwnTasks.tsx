import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { momentText, plainDateText } from '../data/moments.ts'
import { useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { isOverdue } from '../tasks/taskQuery.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

type DueAt = Schemas['Task']['due_at']

/** When a task is due, in words; a date without a time ends with its day. */
export function dueText(due: DueAt, texts: Texts): string {
  if (!due) return texts.home.noDue
  return texts.home.due(
    due.due_at_type === 'DATE' ? plainDateText(due.date ?? '', texts) : momentText(due.date_time ?? '', texts),
  )
}

/** The next open tasks of this person. */
export function OwnTasks() {
  const texts = useTexts()
  const read = useRead('own tasks', async (signal) => {
    const query = {
      distribution_kind: ['RECEIVED' as const, 'PERSONAL' as const],
      progress_status: ['NEW' as const, 'OPEN' as const],
      sort: ['DUE_AT_ASC' as const],
      page_limit: 5,
    }
    return (await api.GET('/api/tasks/v4/tasks/assignments', { signal, params: { query } })).data.assignments
  })
  return (
    <HomeCard
      card="tasks"
      title={texts.home.tasks}
      read={read}
      none={texts.home.tasksNone}
      keyOf={({ id }) => id}
      line={({ task, progress_status }) => (
        <>
          <LinkTo to={linkTo('task', { id: task.id })}>{task.title}</LinkTo>
          <span class="note">
            {dueText(task.due_at, texts)} {isOverdue(task.due_at) && <Badge tone="bad">{texts.home.overdue}</Badge>}{' '}
            {progress_status === 'NEW' && <Badge tone="good">{texts.home.new}</Badge>}
          </span>
        </>
      )}
      more={<LinkTo to={linkTo('tasks')}>{texts.home.allTasks}</LinkTo>}
    />
  )
}
