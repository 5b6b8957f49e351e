import { useMemo, useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Check, TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'
import { useTexts } from '../texts/texts.ts'

const scopes = ['READ', 'USERS', 'USER_GROUPS', 'CHANNELS', 'SETTINGS', 'WEBHOOKS', 'SCIM', 'ADMINISTRATORS'] as const
type Scope = (typeof scopes)[number]

/** Makes a service token. */
export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const texts = useTexts()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>([])
  const [until, setUntil] = useState('')
  const [missing, setMissing] = useState<ReadonlyMap<string, string>>(new Map())
  const { run, isBusy, problem } = useAction()
  const faults = useMemo(
    () => new Map([...missing, ...faultsByField(problem, ['name', 'scopes', 'expires_at'], texts)]),
    [missing, problem, texts],
  )
  const make = async () => {
    const found = new Map<string, string>()
    if (!name.trim()) found.set('name', texts.problems.required)
    if (chosen.length === 0) found.set('scopes', texts.connections.chooseScope)
    setMissing(found)
    if (found.size > 0) return
    await run(async () => {
      const expires_at = until ? new Date(`${until}T23:59:59`).toISOString() : null
      const { data } = await api.POST('/api/admin/organisations/v4/service-tokens', {
        body: { name, scopes: [...chosen], ...(expires_at ? { expires_at } : {}) },
      })
      onMade(data.token)
    })
  }
  return (
    <Dialog title={texts.connections.newToken} onClose={onClose}>
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
              {texts.connections.makeToken}
            </button>
          </>
        }
      >
        <TextField
          name="name"
          label={texts.connections.name}
          hint={texts.connections.nameHint}
          isRequired
          max={120}
          value={name}
          onValue={setName}
          fault={faults.get('name')}
        />
        <fieldset>
          <legend>{texts.connections.mayDo}</legend>
          {scopes.map((scope) => (
            <Check
              key={scope}
              label={texts.connections.scopes[scope]}
              isChecked={chosen.includes(scope)}
              onChecked={(is) => setChosen(is ? [...chosen, scope] : chosen.filter((one) => one !== scope))}
            />
          ))}
          {faults.get('scopes') && <p class="fault">{faults.get('scopes')}</p>}
        </fieldset>
        <TextField
          name="expires_at"
          type="date"
          label={texts.connections.expiresOn}
          hint={texts.connections.expiresHint}
          value={until}
          onValue={setUntil}
          fault={faults.get('expires_at')}
        />
      </Form>
    </Dialog>
  )
}
