import { momentText, plainDateText } from '../data/moments.ts'
import { Badge } from '../parts/Badge.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Due, type DueAt, isOverdue } from './taskQuery.ts'

/** When a task is due, and whether that is over while somebody still has to do it. */
export function DueTime({ due, isDone = false }: { due: DueAt; isDone?: boolean }) {
  const texts = useTexts()
  if (!due) return <span class="none">{texts.tasks.noDue}</span>
  const text =
    due.due_at_type === 'DATE' ? plainDateText(due.date ?? '', texts) : momentText(due.date_time ?? '', texts)
  return (
    <>
      <time dateTime={due.date ?? due.date_time}>{text}</time>{' '}
      {!isDone && isOverdue(due) && <Badge tone="bad">{texts.home.overdue}</Badge>}
    </>
  )
}

type Properties = { due: Due; onDue: (due: Due) => void; fault?: string | undefined }

/** Entering a due date: none, a day, or a day with a time. */
export function DueFields({ due, onDue, fault }: Properties) {
  const texts = useTexts()
  return (
    <div class="columns">
      <SelectField
        name="due_kind"
        label={texts.tasks.due}
        value={due.kind}
        onValue={(kind) => onDue({ ...due, kind })}
        options={(['NONE', 'DATE', 'DATE_TIME'] as const).map((kind) => ({
          value: kind,
          text: texts.tasks.dueKind[kind],
        }))}
      />
      {due.kind !== 'NONE' && (
        <TextField
          name="due_at"
          type="date"
          label={texts.tasks.dueDate}
          isRequired
          value={due.date}
          onValue={(date) => onDue({ ...due, date })}
          fault={fault}
        />
      )}
      {due.kind === 'DATE_TIME' && (
        <TextField
          name="due_time"
          type="time"
          label={texts.tasks.dueTime}
          isRequired
          value={due.time}
          onValue={(time) => onDue({ ...due, time })}
        />
      )}
    </div>
  )
}
