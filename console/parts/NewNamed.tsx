import { useMemo, useState } from 'preact/hooks'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './Dialog.tsx'
import { Form } from './Form.tsx'
import { isEmptyText, localizedToSend } from './LocalizedFields.tsx'
import { NameFields, noName } from './TextsForm.tsx'

type Texts = { title: ReturnType<typeof localizedToSend>; description: ReturnType<typeof localizedToSend> }
type Properties = { title: string; create: (texts: Texts) => Promise<unknown>; onClose: () => void }

/** Creates a group or a channel: only its texts are needed. */
export function NewNamed({ title, create, onClose }: Properties) {
  const texts = useTexts()
  const [value, setValue] = useState(noName)
  const [isMissing, setMissing] = useState(false)
  const { run, isBusy, problem } = useAction()
  const faults = useMemo(() => {
    const found = faultsByField(problem, ['title', 'description'], texts)
    if (isMissing) found.set('title', texts.problems.required)
    return found
  }, [problem, isMissing, texts])
  const submit = async () => {
    setMissing(isEmptyText(value.title))
    if (isEmptyText(value.title)) return
    await run(() => create({ title: localizedToSend(value.title), description: localizedToSend(value.description) }))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        onSubmit={submit}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        actions={
          <>
            <button type="button" onClick={onClose}>
              {texts.common.cancel}
            </button>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {texts.groups.create}
            </button>
          </>
        }
      >
        <NameFields value={value} set={(part) => setValue((now) => ({ ...now, ...part }))} faults={faults} />
      </Form>
    </Dialog>
  )
}
