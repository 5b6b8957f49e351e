import { api } from '../data/api.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { Problem } from '../parts/Problem.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { ownAssignment } from './ownAssignment.ts'
import { ProgressBadge } from './ProgressBadge.tsx'

/** The reader's own progress: finish the task, or open it again. */
export function OwnProgress({ taskId, onChanged }: { taskId: string; onChanged: () => void }) {
  const texts = useTexts()
  const read = useRead(`own ${taskId}`, async (signal) => ({ found: await ownAssignment(taskId, signal) }))
  const { run, isBusy, problem } = useAction()
  return (
    <section class="card" aria-labelledby="progress">
      <h2 id="progress">{texts.tasks.yourProgress}</h2>
      <Loaded read={read}>
        {({ found }) => {
          if (!found) return <p class="none">{texts.tasks.notYours}</p>
          const isFinished = found.progress_status === 'FINISHED'
          const change = () =>
            run(async () => {
              const params = { path: { assignment_id: found.id } }
              const { data } = isFinished
                ? await api.POST('/api/tasks/v4/tasks/assignments/{assignment_id}/open', { params })
                : await api.POST('/api/tasks/v4/tasks/assignments/{assignment_id}/finish', { params })
              read.show({ found: data })
              say(isFinished ? texts.tasks.isOpenAgain : texts.tasks.isFinished)
              onChanged()
            })
          return (
            <>
              <p>
                <ProgressBadge progress={found.progress_status} />
              </p>
              <Problem problem={problem} />
              <button type="button" class={isFinished ? undefined : 'primary'} aria-disabled={isBusy} onClick={change}>
                {isFinished ? texts.tasks.openAgain : texts.tasks.finish}
              </button>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
