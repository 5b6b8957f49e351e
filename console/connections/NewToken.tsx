import { api } from '../data/api.ts'
import { Check, FieldGroup, TextField } from '../parts/Field.tsx'
import { NewDialog } from '../parts/NewDialog.tsx'
import { useTexts } from '../texts/texts.ts'

const scopes = ['READ', 'USERS', 'USER_GROUPS', 'CHANNELS', 'SETTINGS', 'WEBHOOKS', 'SCIM', 'ADMINISTRATORS'] as const
type Asked = { name: string; scopes: readonly (typeof scopes)[number][]; until: string }

const nothing: Asked = { name: '', scopes: [], until: '' }
const names = ['name', 'scopes', 'expires_at']

type Properties = {
  /** What is chosen at first. */
  first?: Pick<Asked, 'name' | 'scopes'>
  onClose: () => void
  onMade: (token: string) => void
}

/** What the token of a directory may do. */
export const forDirectory = (name: string): Pick<Asked, 'name' | 'scopes'> => ({ name, scopes: ['SCIM'] })

/** Makes a service token. */
export function NewToken({ first, onClose, onMade }: Properties) {
  const texts = useTexts()
  return (
    <NewDialog
      title={texts.connections.newToken}
      action={texts.connections.makeToken}
      empty={{ ...nothing, ...first }}
      names={names}
      missingIn={(asked) => ({
        name: !asked.name.trim() && texts.problems.required,
        scopes: asked.scopes.length === 0 && texts.connections.chooseScope,
      })}
      create={async ({ name, scopes: chosen, until }) => {
        const expires_at = until ? new Date(`${until}T23:59:59`).toISOString() : null
        const { data } = await api.POST('/api/admin/organisations/v4/service-tokens', {
          body: { name, scopes: [...chosen], ...(expires_at ? { expires_at } : {}) },
        })
        onMade(data.token)
      }}
      onClose={onClose}
    >
      {({ value: { name, scopes: chosen, until }, set, faults }) => (
        <>
          <TextField
            name="name"
            label={texts.connections.name}
            hint={texts.connections.nameHint}
            isRequired
            max={120}
            value={name}
            onValue={(next) => set({ name: next })}
            fault={faults.get('name')}
          />
          <FieldGroup name="scopes" legend={texts.connections.mayDo} fault={faults.get('scopes')}>
            {scopes.map((scope) => (
              <Check
                key={scope}
                label={texts.connections.scopes[scope]}
                isChecked={chosen.includes(scope)}
                onChecked={(is) => set({ scopes: is ? [...chosen, scope] : chosen.filter((one) => one !== scope) })}
              />
            ))}
          </FieldGroup>
          <TextField
            name="expires_at"
            type="date"
            label={texts.connections.expiresOn}
            hint={texts.connections.expiresHint}
            value={until}
            onValue={(next) => set({ until: next })}
            fault={faults.get('expires_at')}
          />
        </>
      )}
    </NewDialog>
  )
}
