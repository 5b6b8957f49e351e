import type { Schemas } from '../data/api.ts'
import { type EventKind, kindsOfEvents } from '../history/historyQuery.ts'
import { Check, TextField } from '../parts/Field.tsx'
import type { Edited } from '../parts/NewDialog.tsx'
import { serviceAddress } from '../session/config.ts'
import { useTexts } from '../texts/texts.ts'

export type Asked = { url: string; description: string; kinds: readonly EventKind[] }
type Types = Schemas['Webhook']['types']

/** All events, or those of some kinds of records. */
export const typesOf = (kinds: readonly EventKind[]) =>
  kinds.length === 0 ? null : kinds.map((kind): `${EventKind}.*` => `${kind}.*`)

/** The kinds of records in a webhook's types. Single types are kept only while nobody changes the choice here. */
export const kindsIn = (types: Types): EventKind[] =>
  kindsOfEvents.filter((kind) => types?.some((type) => type.split('.')[0] === kind))

/** The names of the fields, as the service calls them. */
export const namesOfWebhook = ['url', 'description', 'types']

/** A service on somebody's own machine takes addresses of that machine, too. */
const isHere = new URL(serviceAddress).protocol === 'http:'

export function WebhookFields({ value: { url, description, kinds }, set, faults }: Edited<Asked>) {
  const texts = useTexts()
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={texts.connections.address}
        hint={isHere ? texts.connections.addressHintHere : texts.connections.addressHint}
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
