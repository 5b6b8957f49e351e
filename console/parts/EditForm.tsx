import type { ComponentChildren } from 'preact'
import type { useEdit } from '../data/useEdit.ts'
import { useTexts } from '../texts/texts.ts'
import { Conflict } from './Conflict.tsx'
import { Form } from './Form.tsx'
import type { ChangedRecord } from './LastChange.tsx'

type Properties<T extends Record<string, unknown>> = {
  edit: ReturnType<typeof useEdit<T>>
  /** What is edited, as events call it. */
  record: ChangedRecord
  faults: ReadonlyMap<string, string>
  /** Marks what is missing, and answers whether all is there. */
  check?: () => boolean
  /** Saves; without it what was edited is saved as it is. */
  onSubmit?: () => unknown
  onCancel?: () => void
  /** Whether the first field gets the focus: of a form that somebody has opened. */
  isOpened?: boolean
  /** What a field is called, and how its values read, where two versions are compared. */
  names: Readonly<Record<keyof T, string>>
  show: (field: keyof T, value: never) => string
  children: ComponentChildren
}

/** A form that edits one record, and the comparison with what somebody else has saved meanwhile. */
export function EditForm<T extends Record<string, unknown>>(properties: Properties<T>) {
  const {
    edit,
    record,
    faults,
    check,
    onSubmit = edit.submit,
    onCancel,
    isOpened = false,
    names,
    show,
    children,
  } = properties
  const texts = useTexts()
  return (
    <>
      <Form
        check={
          check &&
          (() => {
            edit.forget()
            return check()
          })
        }
        onSubmit={onSubmit}
        isBusy={edit.isBusy}
        problem={edit.problem}
        faults={faults}
        hasUnsaved={edit.hasUnsaved}
        isOpened={isOpened}
        actions={
          <>
            <button type="submit" class="primary" aria-disabled={edit.isBusy}>
              {texts.common.save}
            </button>
            {onCancel && (
              <button type="button" onClick={onCancel}>
                {texts.common.cancel}
              </button>
            )}
          </>
        }
      >
        {children}
      </Form>
      {edit.conflict && (
        <Conflict
          {...edit.conflict}
          record={record}
          nameOf={(field) => names[field as keyof T]}
          show={(field, value) => show(field as keyof T, value as never)}
        />
      )}
    </>
  )
}
