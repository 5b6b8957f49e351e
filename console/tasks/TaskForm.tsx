import { useMemo, useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit } from '../data/useEdit.ts'
import { EditForm } from '../parts/EditForm.tsx'
import { TextField } from '../parts/Field.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { DueFields } from './Due.tsx'
import { type Due, dueFrom, dueToSend, type Task } from './taskQuery.ts'

/** What a task is about, as a form has it. */
export type Content = { title: string; text: string; due: Due }

export const mostCharacters = { title: 150, text: 50_000 }

/** What is missing before a task can be saved, by field. */
export function faultsIn({ title, due }: Content, required: string): Map<string, string> {
  const faults = new Map<string, string>()
  if (!title.trim()) faults.set('title', required)
  if (dueToSend(due) === undefined) faults.set('due_at', required)
  return faults
}

type FieldsProperties = {
  content: Content
  set: (part: Partial<Content>) => void
  faults: ReadonlyMap<string, string>
  textHint?: string | undefined
}

/** The fields of a task's content. */
export function ContentFields({ content, set, faults, textHint }: FieldsProperties) {
  const texts = useTexts()
  return (
    <>
      <TextField
        name="title"
        label={texts.tasks.name}
        isRequired
        max={mostCharacters.title}
        value={content.title}
        onValue={(title) => set({ title })}
        fault={faults.get('title')}
      />
      <TextField
        name="body"
        label={texts.tasks.what}
        hint={textHint}
        rows={8}
        max={mostCharacters.text}
        value={content.text}
        onValue={(text) => set({ text })}
        fault={faults.get('body')}
      />
      <DueFields due={content.due} onDue={(due) => set({ due })} fault={faults.get('due_at')} />
    </>
  )
}

const path = '/api/tasks/v4/tasks/{task_id}'
const contentOf = (task: Task): Content => ({
  title: task.title,
  text: task.body.plain ?? '',
  due: dueFrom(task.due_at),
})

type Properties = { task: Task; etag: string; onEnd: (hasChanged: boolean) => void }

/** Edits what a task is about, in place. */
export function TaskForm({ task, etag, onEnd }: Properties) {
  const texts = useTexts()
  const [incomplete, setIncomplete] = useState<ReadonlyMap<string, string>>(new Map())
  const params = { path: { task_id: task.id } }
  const edit = useEdit<Content>({
    version: { value: contentOf(task), etag },
    save: ({ title, text, due }, tag) => {
      const body = {
        ...(title !== undefined ? { title } : {}),
        ...(text !== undefined ? { body: text.trim() ? { plain: text, html: null, delta: null } : null } : {}),
        ...(due !== undefined ? { due_at: dueToSend(due) ?? null } : {}),
      }
      return api.PATCH(path, { params: { ...params, header: { 'if-match': tag } }, body })
    },
    read: async () => {
      const { data, response } = await api.GET(path, { params })
      return { value: contentOf(data), etag: response.headers.get('etag') ?? '*' }
    },
    onSaved: () => {
      say(texts.common.saved)
      onEnd(true)
    },
  })
  const { value, set, problem } = edit
  const faults = useMemo(
    () => new Map([...incomplete, ...faultsByField(problem, ['title', 'body', 'due_at'], texts)]),
    [incomplete, problem, texts],
  )
  const check = () => {
    const found = faultsIn(value, texts.problems.required)
    setIncomplete(found)
    return found.size === 0
  }
  return (
    <EditForm
      edit={edit}
      record={{ kind: 'task', id: task.id }}
      faults={faults}
      check={check}
      onCancel={() => onEnd(false)}
      names={{ title: texts.tasks.name, text: texts.tasks.what, due: texts.tasks.due }}
      show={(field, version) => (field === 'due' ? dueWords(version, texts.tasks.noDue) : version)}
    >
      <ContentFields
        content={value}
        set={set}
        faults={faults}
        textHint={task.body.html || task.body.delta ? texts.tasks.formatIsLost : undefined}
      />
    </EditForm>
  )
}

const dueWords = ({ kind, date, time }: Due, none: string): string =>
  kind === 'NONE' ? none : kind === 'DATE' ? date : `${date} ${time}`
