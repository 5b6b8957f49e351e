import { useMemo, useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { Form } from '../parts/Form.tsx'
import { Page } from '../parts/Page.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { ChooseRecipients, type Chosen, nobody } from './ChooseRecipients.tsx'
import { type Content, ContentFields, faultsIn } from './TaskForm.tsx'
import { dueToSend, noDue } from './taskQuery.ts'

const empty: Content = { title: '', text: '', due: noDue }

const recipientsOf = ({ kind, people, channel }: Chosen) =>
  kind === 'CHANNEL'
    ? [channel ?? []].flat().map(({ value }) => ({ id: value, type: 'CHANNEL' as const }))
    : people.map(({ value }) => ({ id: value, type: 'USER' as const }))

/** Writes a task, and gives it to people or to the members of a channel. */
export default function NewTask() {
  const texts = useTexts()
  const [content, setContent] = useState(empty)
  const [chosen, setChosen] = useState(nobody)
  const [incomplete, setIncomplete] = useState<ReadonlyMap<string, string>>(new Map())
  const [isCreated, setCreated] = useState(false)
  const { run, isBusy, problem, forget } = useAction()
  const faults = useMemo(
    () => new Map([...incomplete, ...faultsByField(problem, ['title', 'body', 'due_at', 'recipients'], texts)]),
    [incomplete, problem, texts],
  )
  const recipients = recipientsOf(chosen)
  const check = () => {
    forget()
    const found = faultsIn(content, texts.problems.required)
    if (recipients.length === 0) found.set('recipients', texts.errors.NO_RECIPIENTS)
    setIncomplete(found)
    return found.size === 0
  }
  const create = async () => {
    let id = ''
    let count = 0
    const isDone = await run(async () => {
      const { title, text, due } = content
      const body = {
        title,
        due_at: dueToSend(due) ?? null,
        recipients,
        ...(text.trim() ? { body: { plain: text } } : {}),
      }
      const { data } = await api.POST('/api/tasks/v4/tasks', { body })
      id = data.id
      count = data.distribution.total
      setCreated(true)
    })
    if (!isDone) return
    say(texts.tasks.created(content.title, count))
    // After what was typed has become no longer unsaved.
    setTimeout(() => go(linkTo('task', { id })))
  }
  const hasUnsaved = !isCreated && JSON.stringify([content, chosen]) !== JSON.stringify([empty, nobody])
  return (
    <Page title={texts.tasks.newTitle} back={<a href={linkTo('tasks')}>{texts.tasks.back}</a>}>
      <section class="card">
        <Form
          check={check}
          onSubmit={create}
          isBusy={isBusy}
          problem={problem}
          faults={faults}
          hasUnsaved={hasUnsaved}
          actions={
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {texts.tasks.giveIt}
            </button>
          }
        >
          <ContentFields content={content} set={(part) => setContent((now) => ({ ...now, ...part }))} faults={faults} />
          <ChooseRecipients chosen={chosen} onChosen={setChosen} fault={faults.get('recipients')} />
        </Form>
      </section>
    </Page>
  )
}
