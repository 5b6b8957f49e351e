import { api } from '../data/api.ts'
import { findColleagues, findUsers, type Option } from '../data/choices.ts'
import { useRead } from '../data/useRead.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { ComboboxList } from '../parts/ComboboxList.tsx'
import { SelectField, useFault } from '../parts/Field.tsx'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { HowMany } from './HowMany.tsx'

/** Who is to get a task: some people, or all members of a channel. */
export type Chosen = { kind: 'PEOPLE' | 'CHANNEL'; people: readonly Option[]; channel: Option | null }
export const nobody: Chosen = { kind: 'PEOPLE', people: [], channel: null }

/** The most people who are chosen one by one. */
const mostPeople = 100

/** The channels to which this person may give tasks. */
async function findChannels(text: string, signal: AbortSignal): Promise<Option[]> {
  const search = text.trim() ? { search_term: text } : {}
  const params = { query: { ...search, can_distribute: true, page_limit: 20 } }
  const { data } = await api.GET('/api/channels/v4/channels', { signal, params })
  return data.channels.map(({ id, title }) => ({ value: id, text: title?.text ?? id }))
}

type Properties = { chosen: Chosen; onChosen: (chosen: Chosen) => void; fault?: string | undefined }

export function ChooseRecipients({ chosen, onChosen, fault: found }: Properties) {
  const texts = useTexts()
  const me = useMe()
  const { kind, people, channel } = chosen
  // What was wrong with the people says nothing about a channel.
  const fault = useFault('recipients', found)
  const own = useRead(kind === 'CHANNEL' ? 'own channels' : null, (signal) => findChannels('', signal))
  const ownsNone = own.data?.length === 0
  const self: Option = { value: me.id, text: `${me.first_name} ${me.last_name}`, note: texts.tasks.yourself }
  const findPeople = async (text: string, signal: AbortSignal) => {
    // Without the directory people can be given a task through channels only; everybody can note one for themselves.
    if (!me.features.people_directory && !isAdministrator(me)) return [self]
    const found = await (isAdministrator(me) ? findUsers : findColleagues)(text, signal)
    return text.trim() || found.some(({ value }) => value === me.id) ? found : [self, ...found]
  }
  return (
    <fieldset name="recipients">
      <legend>{texts.tasks.recipients}</legend>
      <SelectField
        name="recipient_kind"
        label={texts.tasks.giveTo}
        value={kind}
        onValue={(next) => onChosen({ ...chosen, kind: next })}
        options={(['PEOPLE', 'CHANNEL'] as const).map((value) => ({ value, text: texts.tasks.giveToKind[value] }))}
      />
      {kind === 'CHANNEL' ? (
        <Combobox
          name="recipients"
          label={texts.tasks.channel}
          hint={ownsNone ? texts.tasks.noChannels : texts.tasks.channelHint}
          isRequired
          value={channel}
          onValue={(next) => onChosen({ ...chosen, channel: next })}
          search={findChannels}
          fault={fault}
        />
      ) : (
        <ComboboxList
          name="recipients"
          label={texts.tasks.addPerson}
          hint={texts.tasks.addPersonHint(mostPeople)}
          listLabel={texts.tasks.recipients}
          chosen={people}
          onChosen={(next) => onChosen({ ...chosen, people: next })}
          most={mostPeople}
          search={findPeople}
          fault={fault}
        />
      )}
      <HowMany chosen={chosen} />
    </fieldset>
  )
}
