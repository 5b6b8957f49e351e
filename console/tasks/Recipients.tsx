import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { useAction } from '../data/useAction.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Problem } from '../parts/Problem.tsx'
import { Progress as ProgressBar } from '../parts/Progress.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { AddRecipients } from './AddRecipients.tsx'
import { ProgressBadge } from './ProgressBadge.tsx'
import { type Assignment, countsOf, type Progress, personName, type Task } from './taskQuery.ts'

const list = '/api/tasks/v4/tasks/{task_id}/assignments'
/** The most recipients that one call removes. */
const mostAtOnce = 100

/** For the author: how far everybody is, and who has the task. */
export function Recipients({ task, again }: { task: Task; again: () => void }) {
  const texts = useTexts()
  const [progress, setProgress] = useState<Progress | ''>('')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isRemoving, setRemoving] = useState(false)
  const { distribution, assignment_summary: summary } = task
  // Somebody must keep it.
  const areAll = selected.size > 0 && selected.size === summary?.total
  // The list is read anew once the numbers have changed.
  const items = useGrowing(`recipients ${task.id} ${progress} ${JSON.stringify(summary)}`, async (page, signal) => {
    const filter = progress ? { progress_status: [progress] } : {}
    const query = { ...page, ...filter, embed: ['USER' as const], body_format: ['PLAIN' as const] }
    const { data } = await api.GET(list, { signal, params: { path: { task_id: task.id }, query } })
    return { items: data.assignments, next: data.pagination.next_cursor }
  })
  const changed = (text: string) => {
    say(text)
    setSelected(new Set())
    again()
  }
  const remove = async () => {
    const body = { assignment_ids: [...selected] }
    await api.DELETE('/api/tasks/v4/tasks/{task_id}/assignments/batch', {
      params: { path: { task_id: task.id } },
      body,
    })
    changed(texts.tasks.removed(selected.size))
  }
  return (
    <section class="card" aria-labelledby="recipients">
      <h2 id="recipients">{texts.tasks.recipients}</h2>
      {summary && <Numbers summary={summary} distribution={distribution} />}
      <AddRecipients task={task} onAdded={changed} />
      <div class="toolbar">
        <SelectField<Progress | ''>
          name="progress"
          label={texts.tasks.show}
          value={progress}
          onValue={(next) => {
            setProgress(next)
            setSelected(new Set())
          }}
          options={[
            { value: '', text: texts.common.all },
            ...(['NEW', 'OPEN', 'FINISHED'] as const).map((one) => ({ value: one, text: texts.tasks.progressOf[one] })),
          ]}
        />
        {selected.size > 0 && !areAll && (
          <button type="button" class="dangerous-quiet" onClick={() => setRemoving(true)}>
            {texts.tasks.removeSelected(selected.size)}
          </button>
        )}
        {areAll && <p class="hint">{texts.errors.TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION}</p>}
      </div>
      <Growing list={items} none={texts.tasks.noRecipients} more={texts.tasks.moreRecipients}>
        {(rows) => (
          <Table
            caption={texts.tasks.recipients}
            columns={columnsOf(texts, again)}
            rows={rows}
            keyOf={({ id }) => id}
            selection={{
              isSelected: ({ id }) => selected.has(id),
              onSelect: (some, isSelected) => {
                const next = new Set(selected)
                for (const { id } of some) isSelected ? next.add(id) : next.delete(id)
                setSelected(new Set([...next].slice(0, mostAtOnce)))
              },
              nameOf: ({ recipient, user_id }) => (recipient ? personName(recipient) : user_id),
            }}
          />
        )}
      </Growing>
      {isRemoving && (
        <Confirm
          title={texts.tasks.removeTitle(selected.size)}
          action={texts.tasks.removeAction}
          isDangerous
          onClose={() => setRemoving(false)}
          onConfirm={remove}
        >
          <p>{texts.tasks.removeMeans}</p>
        </Confirm>
      )}
    </section>
  )
}

function columnsOf(texts: ReturnType<typeof useTexts>, again: () => void): Column<Assignment>[] {
  return [
    {
      key: 'name',
      title: texts.people.name,
      isHeader: true,
      cell: ({ recipient, user_id }) =>
        recipient && !recipient.is_deleted ? (
          <LinkTo to={linkTo('person', { id: user_id })}>{personName(recipient)}</LinkTo>
        ) : (
          <span dir="auto">{recipient?.first_name ? personName(recipient) : texts.tasks.gone}</span>
        ),
    },
    {
      key: 'department',
      title: texts.people.department,
      cell: ({ recipient }) => <span dir="auto">{recipient?.department}</span>,
    },
    {
      key: 'progress',
      title: texts.tasks.progress,
      cell: (one) => (
        <>
          <ProgressBadge progress={one.progress_status} /> <OwnRow assignment={one} again={again} />
        </>
      ),
    },
    { key: 'changed', title: texts.tasks.changed, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
}

/** Authors who have given a task to themselves, too, finish it here. */
function OwnRow({ assignment, again }: { assignment: Assignment; again: () => void }) {
  const texts = useTexts()
  const me = useMe()
  const { run, isBusy, problem } = useAction()
  if (assignment.user_id !== me.id) return null
  const isFinished = assignment.progress_status === 'FINISHED'
  const change = () =>
    run(async () => {
      const params = { path: { assignment_id: assignment.id } }
      await (isFinished
        ? api.POST('/api/tasks/v4/tasks/assignments/{assignment_id}/open', { params })
        : api.POST('/api/tasks/v4/tasks/assignments/{assignment_id}/finish', { params }))
      say(isFinished ? texts.tasks.isOpenAgain : texts.tasks.isFinished)
      again()
    })
  return (
    <>
      <button type="button" class="quiet" aria-disabled={isBusy} onClick={change}>
        {isFinished ? texts.tasks.openAgain : texts.tasks.finish}
      </button>
      <Problem problem={problem} />
    </>
  )
}

type NumbersProperties = { summary: Schemas['TaskSummary']; distribution: Task['distribution'] }

/** How many have finished, opened and not yet read it. While recipients are still being added, how many have it. */
function Numbers({ summary, distribution }: NumbersProperties) {
  const texts = useTexts()
  const { total, NEW, OPEN, FINISHED } = countsOf(summary)
  return (
    <>
      {distribution.state === 'RUNNING' && (
        <ProgressBar label={texts.tasks.distributing} done={distribution.done} total={distribution.total} />
      )}
      <ProgressBar label={texts.tasks.progressOf.FINISHED} done={FINISHED} total={total} />
      <p class="numbers">
        {texts.tasks.progressOf.OPEN}: {texts.number(OPEN)} · {texts.tasks.progressOf.NEW}: {texts.number(NEW)}
      </p>
    </>
  )
}
