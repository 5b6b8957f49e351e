import { useMemo, useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { type EventKind, kindsOfEvents } from '../history/historyQuery.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Check, TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'
import { useTexts } from '../texts/texts.ts'

export type Asked = { url: string; description: string; kinds: readonly EventKind[] }
type Types = Schemas['Webhook']['types']

/** All events, or those of some kinds of records. */
export const typesOf = (kinds: readonly EventKind[]) =>
  kinds.length === 0 ? null : kinds.map((kind): `${EventKind}.*` => `${kind}.*`)

/** The kinds of records in a webhook's types. Single types are kept only while nobody changes the choice here. */
export const kindsIn = (types: Types): EventKind[] =>
  kindsOfEvents.filter((kind) => types?.some((type) => type.split('.')[0] === kind))

type FieldsProperties = { asked: Asked; set: (part: Partial<Asked>) => void; faults: ReadonlyMap<string, string> }

export function WebhookFields({ asked, set, faults }: FieldsProperties) {
  const texts = useTexts()
  const { url, description, kinds } = asked
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={texts.connections.address}
        hint={texts.connections.addressHint}
        isRequired
        max={2_000}
        value={url}
        onValue={(next) => set({ url: next })}
        fault={faults.get('url')}
      />
      <TextField
        name="description"
        label={`${texts.connections.description} (${texts.common.optional})`}
        max={255}
        value={description}
        onValue={(next) => set({ description: next })}
        fault={faults.get('description')}
      />
      <fieldset>
        <legend>{texts.connections.events}</legend>
        <p class="hint">{texts.connections.eventsHint}</p>
        <div class="columns">
          {kindsOfEvents.map((kind) => (
            <Check
              key={kind}
              label={texts.history.kinds[kind]}
              isChecked={kinds.includes(kind)}
              onChecked={(is) => set({ kinds: is ? [...kinds, kind] : kinds.filter((one) => one !== kind) })}
            />
          ))}
        </div>
      </fieldset>
    </>
  )
}

/** Makes a webhook. */
export function WebhookForm({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const texts = useTexts()
  const [asked, setAsked] = useState<Asked>({ url: '', description: '', kinds: [] })
  const [isMissing, setMissing] = useState(false)
  const { run, isBusy, problem } = useAction()
  const faults = useMemo(() => {
    const found = faultsByField(problem, ['url', 'description', 'types'], texts)
    if (isMissing) found.set('url', texts.problems.required)
    return found
  }, [isMissing, problem, texts])
  const make = async () => {
    setMissing(!asked.url.trim())
    if (!asked.url.trim()) return
    await run(async () => {
      const { url, description, kinds } = asked
      const body = { url, types: typesOf(kinds), ...(description.trim() ? { description } : {}) }
      const { data } = await api.POST('/api/admin/organisations/v4/webhooks', { body })
      onMade(data.secret)
    })
  }
  return (
    <Dialog title={texts.connections.newWebhook} onClose={onClose} isWide>
      <Form
        onSubmit={make}
        isBusy={isBusy}
        problem={problem}
        faults={faults}
        actions={
          <>
            <button type="button" onClick={onClose}>
              {texts.common.cancel}
            </button>
            <button type="submit" class="primary" aria-disabled={isBusy}>
              {texts.connections.makeWebhook}
            </button>
          </>
        }
      >
        <WebhookFields asked={asked} set={(part) => setAsked((now) => ({ ...now, ...part }))} faults={faults} />
      </Form>
    </Dialog>
  )
}
