import { changeQuery, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { useList } from '../data/useList.ts'
import { Badge } from '../parts/Badge.tsx'
import { Empty } from '../parts/Empty.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import type { Column } from '../parts/Table.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { DueTime } from './Due.tsx'
import { ProgressBadge } from './ProgressBadge.tsx'
import {
  type Assignment,
  countsOf,
  personName,
  type Shown,
  shownKinds,
  shownOf,
  sortOf,
  type Task,
  type View,
  viewOf,
  views,
} from './taskQuery.ts'

/** The tasks of this person: those they got, and those they gave. */
export default function Tasks({ query }: ScreenProperties) {
  const texts = useTexts()
  const view = viewOf(query)
  return (
    <Page
      title={texts.tasks.title}
      actions={
        <a class="button primary" href={linkTo('new-task')}>
          {texts.tasks.create}
        </a>
      }
    >
      <Tabs
        label={texts.tasks.which}
        tabs={views.map((one) => ({
          to: linkTo('tasks', { view: one }),
          text: texts.tasks.views[one],
          isHere: one === view,
        }))}
      />
      <div class="toolbar">
        <SelectField<Shown>
          name="show"
          label={texts.tasks.show}
          value={shownOf(query)}
          onValue={(show) => changeQuery({ show, page: null })}
          options={shownKinds.map((kind) => ({ value: kind, text: texts.tasks.shown[view][kind] }))}
        />
      </div>
      {view === 'mine' ? <Mine query={query} /> : <Given query={query} />}
    </Page>
  )
}

/** The tasks that this person has to do. */
function Mine({ query }: ScreenProperties) {
  const texts = useTexts()
  const [shown, sort, cursor] = [shownOf(query), sortOf('mine', query), query.get('page')]
  const progress: Record<Shown, Assignment['progress_status'][]> = {
    open: ['NEW', 'OPEN'],
    finished: ['FINISHED'],
    all: ['NEW', 'OPEN', 'FINISHED'],
  }
  const { page } = useList(JSON.stringify(['mine', shown, sort]), cursor, async (paging, signal) => {
    const filter = { distribution_kind: ['RECEIVED' as const, 'PERSONAL' as const], progress_status: progress[shown] }
    const parameters = {
      ...filter,
      ...paging,
      sort: [sort],
      embed: ['AUTHOR' as const],
      body_format: ['PLAIN' as const],
    }
    return (await api.GET('/api/tasks/v4/tasks/assignments', { signal, params: { query: parameters } })).data
  })
  const columns: Column<Assignment>[] = [
    {
      key: 'title',
      title: texts.tasks.name,
      isHeader: true,
      cell: ({ task }) => (
        <a href={linkTo('task', { id: task.id })} dir="auto">
          {task.title}
        </a>
      ),
    },
    {
      key: 'from',
      title: texts.tasks.from,
      cell: ({ task }) => <From task={task} />,
    },
    {
      key: 'due',
      title: texts.tasks.due,
      sort: 'DUE_AT',
      cell: ({ task, progress_status }) => <DueTime due={task.due_at} isDone={progress_status === 'FINISHED'} />,
    },
    { key: 'progress', title: texts.tasks.progress, cell: (one) => <ProgressBadge progress={one.progress_status} /> },
    { key: 'got', title: texts.tasks.got, sort: 'CREATED_AT', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Loaded read={page}>
      {({ assignments, pagination }) => (
        <PagedTable
          empty={<NoTasks view="mine" shown={shown} />}
          caption={texts.tasks.views.mine}
          columns={columns}
          rows={assignments}
          keyOf={({ id }) => id}
          sort={sort}
          isOld={page.isOld}
          cursor={cursor}
          next={pagination.next_cursor}
        />
      )}
    </Loaded>
  )
}

/** Who asked. */
function From({ task: { author, distribution_kind } }: { task: Assignment['task'] }) {
  const texts = useTexts()
  if (distribution_kind === 'PERSONAL') return <>{texts.tasks.yourself}</>
  return <span dir="auto">{author && !author.is_deleted ? personName(author) : texts.tasks.gone}</span>
}

/** The tasks that this person has given. */
function Given({ query }: ScreenProperties) {
  const texts = useTexts()
  const [shown, sort, cursor] = [shownOf(query), sortOf('given', query), query.get('page')]
  const { page } = useList(JSON.stringify(['given', shown, sort]), cursor, async (paging, signal) => {
    const only = { open: 'OPEN', finished: 'FINISHED', all: undefined } as const
    const status = only[shown]
    const filter = { distribution_kind: ['DISTRIBUTED' as const], ...(status ? { progress_status: [status] } : {}) }
    const parameters = { ...filter, ...paging, sort: [sort], body_format: ['PLAIN' as const] }
    return (await api.GET('/api/tasks/v4/tasks', { signal, params: { query: parameters } })).data
  })
  const columns: Column<Task>[] = [
    {
      key: 'title',
      title: texts.tasks.name,
      isHeader: true,
      cell: ({ id, title }) => (
        <a href={linkTo('task', { id })} dir="auto">
          {title}
        </a>
      ),
    },
    {
      key: 'progress',
      title: texts.tasks.finishedBy,
      cell: ({ assignment_summary: summary, distribution }) => (
        <>
          {summary && texts.common.progress(countsOf(summary).FINISHED, summary.total)}{' '}
          {distribution.state === 'RUNNING' && <Badge tone="warn">{texts.tasks.distributing}</Badge>}
        </>
      ),
    },
    {
      key: 'due',
      title: texts.tasks.due,
      sort: 'DUE_AT',
      cell: ({ due_at, progress_status }) => <DueTime due={due_at} isDone={progress_status === 'FINISHED'} />,
    },
    {
      key: 'changed',
      title: texts.tasks.changed,
      sort: 'UPDATED_AT',
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
  ]
  return (
    <Loaded read={page}>
      {({ tasks, pagination }) => (
        <PagedTable
          empty={<NoTasks view="given" shown={shown} />}
          caption={texts.tasks.views.given}
          columns={columns}
          rows={tasks}
          keyOf={({ id }) => id}
          sort={sort}
          isOld={page.isOld}
          cursor={cursor}
          next={pagination.next_cursor}
        />
      )}
    </Loaded>
  )
}

function NoTasks({ view, shown }: { view: View; shown: Shown }) {
  const texts = useTexts()
  return (
    <Empty title={texts.tasks.none[view]}>
      <p>{texts.tasks.noneAdvice[view]}</p>
      {shown !== 'all' && (
        <button type="button" onClick={() => changeQuery({ show: 'all', page: null })}>
          {texts.tasks.showAll}
        </button>
      )}
    </Empty>
  )
}
