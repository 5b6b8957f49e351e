import { useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { type Read, useRead, useRepeat, useReturn } from '../data/useRead.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { Facts } from '../parts/Facts.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Loaded, NotCurrent } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { SafeHtml } from '../parts/SafeHtml.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { DueTime } from './Due.tsx'
import { OwnProgress } from './OwnProgress.tsx'
import { Recipients } from './Recipients.tsx'
import { TaskForm } from './TaskForm.tsx'
import { personName, type Task as TaskRecord } from './taskQuery.ts'

type Shown = { task: TaskRecord; etag: string }

/** One task: what is to be done, the reader's own progress, and for its author that of everybody. Reading it opens it. */
export default function Task({ query }: ScreenProperties) {
  const texts = useTexts()
  const id = query.get('id') ?? ''
  const read = useRead(id, async (signal): Promise<Shown> => {
    const params = { path: { task_id: id }, query: { embed: ['AUTHOR' as const] } }
    const { data, response } = await api.GET('/api/tasks/v4/tasks/{task_id}', { signal, params })
    return { task: data, etag: response.headers.get('etag') ?? '*' }
  })
  // Very many recipients get a task after the answer.
  useRepeat(read.data?.task.distribution.state === 'RUNNING', read.again)
  // Others go on with it while this page is in the background.
  useReturn(read.again)
  const back = <a href={linkTo('tasks')}>{texts.tasks.back}</a>
  if (codeOf(read.problem) === 'TASK_NOT_FOUND')
    return <Page title={texts.tasks.noTask} intro={texts.tasks.noTaskAdvice} back={back} />
  if (!read.data)
    return (
      <Page title={texts.tasks.one} back={back}>
        <Loaded read={read}>{() => null}</Loaded>
      </Page>
    )
  return <ShownTask read={read} loaded={read.data} back={back} />
}

type ShownProperties = { read: Read<Shown>; loaded: Shown; back: preact.ComponentChildren }

function ShownTask({ read, loaded: { task, etag }, back }: ShownProperties) {
  const texts = useTexts()
  const me = useMe()
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const isAuthor = task.author_id === me.id
  return (
    <Page title={task.title} back={back} actions={<HistoryLink kind="task" id={task.id} />} canPrint>
      <NotCurrent read={read} />
      <div class="two-thirds">
        <section class="card" aria-labelledby="what">
          <div class="card-head">
            <h2 id="what">{texts.tasks.what}</h2>
            {isAuthor && !isEditing && (
              <div class="actions">
                <button type="button" onClick={() => setEditing(true)}>
                  {texts.common.edit}
                </button>
                <button type="button" class="dangerous-quiet" onClick={() => setDeleting(true)}>
                  {texts.tasks.delete}
                </button>
              </div>
            )}
          </div>
          {isEditing ? (
            <TaskForm
              task={task}
              etag={etag}
              onEnd={(hasChanged) => {
                setEditing(false)
                if (hasChanged) read.again()
              }}
            />
          ) : (
            <Body task={task} />
          )}
        </section>
        <aside>
          {task.distribution_kind !== 'DISTRIBUTED' && <OwnProgress taskId={task.id} onChanged={read.again} />}
          <section class="card" aria-labelledby="about">
            <h2 id="about">{texts.tasks.about}</h2>
            <Facts
              facts={[
                [texts.tasks.from, <Author key="from" task={task} />],
                [texts.tasks.due, <DueTime key="due" due={task.due_at} isDone={task.progress_status === 'FINISHED'} />],
                [texts.tasks.given, <Time key="given" at={task.created_at} />],
                [texts.tasks.changed, <Time key="changed" at={task.updated_at} />],
              ]}
            />
          </section>
        </aside>
      </div>
      {isAuthor && <Recipients task={task} again={read.again} />}
      {isDeleting && (
        <Confirm
          title={texts.tasks.deleteTitle(task.title)}
          action={texts.tasks.delete}
          isDangerous
          onClose={() => setDeleting(false)}
          again={read.again}
          onConfirm={async () => {
            await api.DELETE('/api/tasks/v4/tasks/{task_id}', {
              params: { path: { task_id: task.id }, header: { 'if-match': etag } },
            })
            say(texts.tasks.deleted(task.title))
            go(linkTo('tasks', { view: 'given' }))
          }}
        >
          <p>{texts.tasks.deleteMeans}</p>
        </Confirm>
      )}
    </Page>
  )
}

function Author({ task }: { task: TaskRecord }) {
  const texts = useTexts()
  const me = useMe()
  if (task.author_id === me.id) return <>{texts.tasks.yourself}</>
  const { author } = task
  if (!author || author.is_deleted) return <>{texts.tasks.gone}</>
  return <LinkTo to={linkTo('person', { id: author.id })}>{personName(author)}</LinkTo>
}

/** The text. A formatted one is built from the elements that the console knows, so nothing in it can run. */
function Body({ task: { body } }: { task: TaskRecord }) {
  const texts = useTexts()
  if (body.html) return <SafeHtml html={body.html} />
  if (!body.plain?.trim()) return <p class="none">{texts.tasks.noText}</p>
  return (
    <div class="plain-text" dir="auto">
      {body.plain}
    </div>
  )
}
