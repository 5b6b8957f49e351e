import { useContext, useMemo } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { findLanguages, languageOption, typedLanguage } from '../data/languages.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { useRead } from '../data/useRead.ts'
import { ComboboxList } from '../parts/ComboboxList.tsx'
import { EditForm } from '../parts/EditForm.tsx'
import { Check, SelectField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { say } from '../shell/announce.tsx'
import { ShowSettingsContext } from '../shell/me.ts'
import { languageName } from '../texts/languageName.ts'
import { type Texts, useTexts } from '../texts/texts.ts'

const path = '/api/admin/organisations/v4/settings'
const featureNames = ['tasks', 'user_deactivation', 'people_directory'] as const
type Feature = (typeof featureNames)[number]
type Value = { default_language: string; languages: readonly string[] } & Record<Feature, boolean>

const fieldsOf = ({ default_language, languages, features }: Schemas['OrganisationSettings']): Value => ({
  default_language,
  languages,
  tasks: features.tasks,
  user_deactivation: features.user_deactivation,
  people_directory: features.people_directory,
})

async function readSettings(signal: AbortSignal | null = null): Promise<Version<Value>> {
  const { data, response } = await api.GET(path, { signal })
  return { value: fieldsOf(data), etag: response.headers.get('etag') ?? '*' }
}

/** Languages and features. */
export function Organisation() {
  const read = useRead('organisation', readSettings)
  return (
    <section class="card">
      <Loaded read={read}>
        {(version) => <OrganisationForm key={version.etag} version={version} again={read.again} />}
      </Loaded>
    </section>
  )
}

/** The most languages that an organisation has. */
const mostLanguages = 50

/** A setting in words, for a comparison of versions. */
function inWords(shown: Value[keyof Value], texts: Texts): string {
  if (typeof shown === 'boolean') return shown ? texts.common.yes : texts.common.no
  return [shown]
    .flat()
    .map((tag) => languageName(tag, texts))
    .join(', ')
}

function OrganisationForm({ version, again }: { version: Version<Value>; again: () => void }) {
  const texts = useTexts()
  const showSettings = useContext(ShowSettingsContext)
  const edit = useEdit<Value>({
    version,
    save: async ({ default_language, languages, ...features }, etag) => {
      const body = {
        ...(default_language ? { default_language } : {}),
        ...(languages ? { languages: [...languages] } : {}),
        ...(Object.keys(features).length > 0 ? { features } : {}),
      }
      showSettings((await api.PATCH(path, { params: { header: { 'if-match': etag } }, body })).data)
    },
    read: readSettings,
    onSaved: () => {
      say(texts.settings.savedForAll)
      again()
    },
  })
  const { value, set, problem } = edit
  const faults = useMemo(() => faultsByField(problem, ['default_language', 'languages'], texts), [problem, texts])
  return (
    <EditForm
      edit={edit}
      record={{ kind: 'organisation_settings', id: 'settings' }}
      faults={faults}
      names={{
        default_language: texts.settings.defaultLanguage,
        languages: texts.settings.languages,
        ...texts.settings.features,
      }}
      show={(_, shown: Value[keyof Value]) => inWords(shown, texts)}
    >
      <ComboboxList
        name="languages"
        label={texts.settings.addLanguage}
        hint={texts.settings.languagesHint}
        fault={faults.get('languages')}
        listLabel={texts.settings.languages}
        chosen={value.languages.map((tag) => languageOption(tag, texts))}
        onChosen={(chosen) => set({ languages: chosen.map((one) => one.value) })}
        most={mostLanguages}
        search={async (text) => findLanguages(text, texts)}
        typed={(text) => typedLanguage(text, texts)}
        isKept={(one) => one.value === value.default_language}
      />
      <SelectField
        name="default_language"
        label={texts.settings.defaultLanguage}
        hint={texts.settings.defaultLanguageHint}
        value={value.default_language}
        onValue={(default_language) => set({ default_language })}
        options={value.languages.map((tag) => languageOption(tag, texts))}
        fault={faults.get('default_language')}
      />
      <fieldset>
        <legend>{texts.settings.whatIsOn}</legend>
        {featureNames.map((feature) => (
          <Check
            key={feature}
            label={texts.settings.features[feature]}
            isChecked={value[feature]}
            onChecked={(is) => set({ [feature]: is } as Partial<Value>)}
          />
        ))}
      </fieldset>
    </EditForm>
  )
}
