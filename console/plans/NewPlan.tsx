import { useEffect, useMemo, useState } from 'preact/hooks'
import { uploadPlanFile } from '../../client/src/index.ts'
import { go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { readAttributes } from '../data/attributes.ts'
import { faultsByField } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { useRead } from '../data/useRead.ts'
import { Check, SelectField, TextField } from '../parts/Field.tsx'
import { Form } from '../parts/Form.tsx'
import { Page } from '../parts/Page.tsx'
import { Progress } from '../parts/Progress.tsx'
import { AttributeValue } from '../people/AttributeValue.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { ChooseFile } from './ChooseFile.tsx'
import { Columns } from './Columns.tsx'
import {
  type Asked,
  absences,
  fieldsOf,
  headersOf,
  keys,
  type Limit,
  limits,
  longestTitle,
  missingIn,
  type NamedAttribute,
  needsLook,
  nothingAsked,
  planOf,
  rowsOf,
  suggestedIn,
  unfitIn,
} from './fileRequest.ts'
import { keepFile } from './sentFiles.ts'

const definition = '/api/admin/users/v4/user-attribute-definitions/{definition_id}'
const limitNames = Object.keys(limits) as Limit[]

/** A plan from a file, such as the list of people that HR keeps. Nothing is changed before somebody has read and applied it. */
export default function NewPlan() {
  const texts = useTexts()
  const [file, setFile] = useState<File>()
  const [asked, setAsked] = useState(nothingAsked)
  const [missing, setMissing] = useState<readonly string[]>([])
  const [sent, setSent] = useState<number>()
  const { run, isBusy, problem } = useAction()
  const beginning = useRead(
    file ? `${file.name} ${file.size} ${file.lastModified}` : null,
    async () => ({ headers: await headersOf(file as File), unfit: await unfitIn(file as File) }),
    { keep: false },
  )
  const { headers, unfit } = beginning.data ?? {}
  const { data: attributes, isLoading } = useRead('attributes with all titles', readAllTitles)
  const isReading = file !== undefined && (beginning.isLoading || isLoading)
  useEffect(() => {
    if (headers && attributes) set({ columns: suggestedIn(headers, attributes) })
  }, [file, headers, attributes])
  /** What the columns are; undefined while that is not known. */
  const fields = attributes && headers && fieldsOf(headers, asked.columns, attributes)
  const set = (part: Partial<Asked>) => setAsked((now) => ({ ...now, ...part }))
  const faults = useMemo(
    () =>
      new Map([
        ...(unfit ? [['file', texts.files.unfit[unfit]] as const] : []),
        ...missing.map((name): [string, string] => [
          name,
          name === 'match_by' ? texts.files.noKey : texts.problems.required,
        ]),
        ...faultsByField(
          problem,
          ['title', 'columns', 'rows', 'absent_among', ...limitNames.map((name) => `limits.${name}`)],
          texts,
        ),
      ]),
    [missing, unfit, problem, texts],
  )
  const choose = (chosen: File) => {
    setFile(chosen)
    set({ columns: {} })
  }
  const make = async () => {
    const found = missingIn(asked, file !== undefined, fields)
    setMissing(found)
    if (found.length > 0 || !file || unfit) return
    await run(async () => {
      const { data: plan } = await api.POST('/api/admin/organisations/v4/plans', { body: planOf(asked, file.name) })
      setSent(0)
      try {
        const uploaded = await uploadPlanFile(api, plan.id, file, { onProgress: setSent })
        const rows = rowsOf(asked)
        await api.POST('/api/admin/organisations/v4/plans/{plan_id}/check', {
          params: { path: { plan_id: plan.id } },
          body: { ...uploaded, ...(rows === undefined ? {} : { rows }) },
        })
      } catch (error) {
        setSent(undefined)
        // A plan without its file would only be in the way.
        await api.POST('/api/admin/organisations/v4/plans/{plan_id}/cancel', { params: { path: { plan_id: plan.id } } })
        throw error
      }
      keepFile(plan.id, { file, asked, attributes: attributes ?? [] })
      say(texts.bulk.made)
      setSent(undefined)
      setFile(undefined)
      // After the file has become no longer unsaved.
      setTimeout(() => go(linkTo('plan', { id: plan.id })))
    })
  }
  return (
    <Page title={texts.files.title} intro={texts.files.intro} back={<a href={linkTo('plans')}>{texts.plans.back}</a>}>
      <section class="card">
        <Form
          onSubmit={make}
          isBusy={isBusy || isReading}
          problem={problem}
          faults={faults}
          hasUnsaved={file !== undefined}
          actions={
            <button type="submit" class="primary" aria-disabled={isBusy || isReading}>
              {texts.files.make}
            </button>
          }
        >
          <ChooseFile file={file} onFile={choose} fault={faults.get('file')} />
          <SelectField
            name="match_by"
            label={texts.files.matchBy}
            value={asked.matchBy}
            onValue={(matchBy) => set({ matchBy })}
            options={keys.map((key) => ({ value: key, text: texts.files.keys[key] }))}
            fault={faults.get('match_by')}
          />
          {headers && attributes && !unfit && headers.length > 0 && (
            <Columns
              headers={headers}
              attributes={attributes}
              isOpen={needsLook(headers, asked, attributes)}
              columns={asked.columns}
              onColumns={(columns) => set({ columns })}
              fault={faults.get('columns')}
            />
          )}
          <Absent asked={asked} set={set} faults={faults} attributes={attributes ?? []} />
          <details class="more">
            <summary>{texts.files.more}</summary>
            <TextField
              name="title"
              label={`${texts.bulk.name} (${texts.common.optional})`}
              max={longestTitle}
              value={asked.title}
              onValue={(title) => set({ title })}
              fault={faults.get('title')}
            />
            <Check
              label={texts.files.clears}
              isChecked={asked.clearsEmpty}
              onChecked={(clearsEmpty) => set({ clearsEmpty })}
            />
            <Check
              label={texts.files.restores}
              isChecked={asked.restores}
              onChecked={(restores) => set({ restores })}
            />
            <Check label={texts.files.unlocks} isChecked={asked.unlocks} onChecked={(unlocks) => set({ unlocks })} />
            <p class="hint">{texts.files.limitsHint}</p>
            <div class="columns">
              {limitNames.map((name) => (
                <TextField
                  key={name}
                  name={`limits.${name}`}
                  label={texts.files.limits[name]}
                  hint={texts.files.limitElse(limits[name])}
                  type="number"
                  range={[0, 100]}
                  value={asked.limits[name]}
                  onValue={(limit) => set({ limits: { ...asked.limits, [name]: limit } })}
                  fault={faults.get(`limits.${name}`)}
                />
              ))}
            </div>
          </details>
          {sent !== undefined && file && <Progress label={texts.files.sending} done={sent} total={file.size} />}
        </Form>
      </section>
    </Page>
  )
}

/** The attributes with their titles in all languages: the service knows a header by each of them. */
async function readAllTitles(signal: AbortSignal): Promise<NamedAttribute[]> {
  const attributes = await readAttributes(signal)
  return Promise.all(
    attributes.map(async (attribute) => {
      const params = { path: { definition_id: attribute.name } }
      return api.GET(definition, { signal, params }).then(
        ({ data }) => ({ ...attribute, titles: data.title.map(({ text }) => text) }),
        // What is being deleted has its one title.
        () => attribute,
      )
    }),
  )
}

type AbsentProperties = {
  asked: Asked
  set: (part: Partial<Asked>) => void
  faults: ReadonlyMap<string, string>
  attributes: readonly NamedAttribute[]
}

/** What becomes of people who are missing in the file: nothing, unless somebody says so. */
function Absent({ asked, set, faults, attributes }: AbsentProperties) {
  const texts = useTexts()
  return (
    <>
      <SelectField
        name="absent"
        label={texts.files.absent}
        value={asked.absent}
        onValue={(absent) => set({ absent })}
        options={absences.map((one) => ({ value: one, text: texts.files.absences[one] }))}
      />
      {asked.absent !== 'KEEP' && (
        <div class="columns">
          <SelectField
            name="absent_among"
            label={texts.files.among}
            value={asked.attribute}
            onValue={(attribute) => set({ attribute })}
            options={[
              { value: '', text: texts.files.everybody },
              ...attributes.map(({ name, title }) => ({ value: name, text: texts.files.with(title) })),
            ]}
            fault={faults.get('absent_among')}
          />
          {asked.attribute && (
            <AttributeValue
              name="value"
              label={texts.people.attributeValue}
              hint={texts.people.attributeValueHint}
              isRequired
              attribute={asked.attribute}
              value={asked.value}
              onValue={(value) => set({ value })}
              fault={faults.get('value')}
            />
          )}
          <TextField
            name="rows"
            label={texts.files.rows}
            hint={texts.files.rowsHint}
            isRequired
            value={asked.rows}
            onValue={(rows) => set({ rows })}
            fault={faults.get('rows')}
          />
        </div>
      )}
    </>
  )
}
