import { useMemo } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { useRead } from '../data/useRead.ts'
import { EditForm } from '../parts/EditForm.tsx'
import { Check, TextField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

const path = '/api/admin/organisations/v4/settings'
const featureNames = ['tasks', 'user_deactivation', 'people_directory'] as const
type Feature = (typeof featureNames)[number]
type Value = { default_language: string; languages: string } & Record<Feature, boolean>

const fieldsOf = ({ default_language, languages, features }: Schemas['OrganisationSettings']): Value => ({
  default_language,
  languages: languages.join(', '),
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

function OrganisationForm({ version, again }: { version: Version<Value>; again: () => void }) {
  const texts = useTexts()
  const edit = useEdit<Value>({
    version,
    save: ({ default_language, languages, ...features }, etag) => {
      const tags = languages
        ?.split(/[\s,]+/)
        .map((tag) => tag.trim())
        .filter(Boolean)
      const body = {
        ...(default_language ? { default_language: default_language.trim() } : {}),
        ...(tags ? { languages: tags } : {}),
        ...(Object.keys(features).length > 0 ? { features } : {}),
      }
      return api.PATCH(path, { params: { header: { 'if-match': etag } }, body })
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
      faults={faults}
      names={{
        default_language: texts.settings.defaultLanguage,
        languages: texts.settings.languages,
        ...texts.settings.features,
      }}
      show={(_, shown: Value[keyof Value]) =>
        typeof shown === 'boolean' ? (shown ? texts.common.yes : texts.common.no) : shown
      }
    >
      <div class="columns">
        <TextField
          name="default_language"
          label={texts.settings.defaultLanguage}
          hint={texts.settings.languageHint}
          isRequired
          max={35}
          value={value.default_language}
          onValue={(default_language) => set({ default_language })}
          fault={faults.get('default_language')}
        />
        <TextField
          name="languages"
          label={texts.settings.languages}
          hint={texts.settings.languagesHint}
          isRequired
          value={value.languages}
          onValue={(languages) => set({ languages })}
          fault={faults.get('languages')}
        />
      </div>
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
