import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
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
import { type Texts, useTexts } from '../texts/texts.ts'
import { beginningOf, type Column, keyOf, unfitCells } from './beginningOfFile.ts'
import { ChooseFile } from './ChooseFile.tsx'
import { Columns } from './Columns.tsx'
import {
  type Asked,
  absences,
  againIn,
  columnsFor,
  fieldsOf,
  keys,
  type Lack,
  type Limit,
  limits,
  longestTitle,
  missingIn,
  type NamedAttribute,
  needsLook,
  nothingAsked,
  planOf,
  rowsOf,
} from './fileRequest.ts'
import { sendFile } from './sendFile.ts'
import { fileOf, keepFile } from './sentFiles.ts'

const definition = '/api/admin/users/v4/user-attribute-definitions/{definition_id}'
const limitNames = Object.keys(limits) as Limit[]

/** A plan from a file, such as the list of people that HR keeps. Nothing is changed before somebody has read and applied it. */
export default function NewPlan() {
  const texts = useTexts()
  const [start] = useState(startOf)
  const [file, setFile] = useState(start.file)
  const [asked, setAsked] = useState(start.asked)
  const [hasChosenKey, setChosenKey] = useState(start.isAgain)
  const [lacks, setLacks] = useState<ReturnType<typeof missingIn>>(new Map())
  const { send, end, sent, isBusy, problem } = useSending()
  const { columns, headers = [], unfit, attributes = [], isReading, proposed } = useBeginning(file)
  useEffect(() => {
    if (!columns || isReading) return
    set({
      columns: columnsFor(headers, attributes, start.asked.columns),
      ...(proposed && !hasChosenKey ? { matchBy: proposed } : {}),
    })
  }, [file, columns, isReading])
  const set = (part: Partial<Asked>) => setAsked((now) => ({ ...now, ...part }))
  const faults = useMemo(
    () =>
      new Map([
        ...(unfit ? [['file', texts.files.unfit[unfit]] as const] : []),
        ...[...lacks].map(([name, lack]): [string, string] => [name, wordsForLack(lack, texts)]),
        ...faultsByField(
          problem,
          ['title', 'columns', 'rows', 'absent_among', ...limitNames.map((name) => `limits.${name}`)],
          texts,
        ),
      ]),
    [lacks, unfit, problem, texts],
  )
  const choose = (chosen: File) => {
    setFile(chosen)
    setLacks(new Map())
    set({ columns: {} })
  }
  const fields = fieldsOf(headers, asked.columns, attributes)
  const make = async () => {
    if (isReading) return say(texts.files.reading)
    const found = unfit ? new Map<string, Lack>() : missingIn(asked, file !== undefined, fields)
    setLacks(found)
    if (found.size > 0 || !file || unfit) return
    const id = await send({ body: planOf(asked, file.name), file, rows: rowsOf(asked) })
    if (id === undefined) return
    keepFile(id, { file, asked, attributes })
    say(texts.bulk.made)
    setFile(undefined)
    // After the file has become no longer unsaved.
    setTimeout(() => go(linkTo('plan', { id })))
  }
  const isSending = sent !== undefined
  return (
    <Page title={texts.files.title} intro={texts.files.intro} back={<a href={linkTo('plans')}>{texts.plans.back}</a>}>
      <section class="card">
        <Form
          onSubmit={make}
          isBusy={isBusy}
          problem={problem}
          faults={faults}
          hasUnsaved={file !== undefined}
          actions={
            <>
              <button type="submit" class="primary" aria-disabled={isBusy || isReading}>
                {texts.files.make}
              </button>
              {isSending && (
                <button type="button" onClick={end}>
                  {texts.common.cancel}
                </button>
              )}
            </>
          }
        >
          <fieldset disabled={isSending}>
            <Again isAgain={start.isAgain} hasFile={file !== undefined} />
            <ChooseFile file={file} onFile={choose} fault={faults.get('file')} />
            <SelectField
              name="match_by"
              label={texts.files.matchBy}
              hint={proposed === 'ID' && asked.matchBy === 'ID' && !hasChosenKey ? texts.files.keySuggested : undefined}
              value={asked.matchBy}
              onValue={(matchBy) => {
                setChosenKey(true)
                set({ matchBy })
              }}
              options={keys.map((key) => ({ value: key, text: texts.files.keys[key] }))}
              fault={faults.get('match_by')}
            />
            {columns && !isReading && headers.length > 0 && (
              <>
                <Columns
                  headers={headers}
                  attributes={attributes}
                  isOpen={needsLook(headers, asked, attributes)}
                  columns={asked.columns}
                  onColumns={(chosen) => set({ columns: chosen })}
                  faults={faults}
                />
                <UnfitCells columns={columns} chosen={asked.columns} attributes={attributes} />
              </>
            )}
            <Absent asked={asked} set={set} faults={faults} attributes={attributes} />
            <MoreChoices asked={asked} set={set} faults={faults} />
          </fieldset>
          {isSending && file && <Progress label={texts.files.sending} done={sent} total={file.size} isPercent />}
        </Form>
      </section>
    </Page>
  )
}

/** What is known of a file before it is sent. `proposed`: by what people are found. */
function useBeginning(file: File | undefined) {
  const { data: beginning, isLoading: isReading } = useRead(
    file ? `${file.name} ${file.size} ${file.lastModified}` : null,
    () => beginningOf(file as File),
    { keep: false },
  )
  const { data: attributes, isLoading } = useRead('attributes with all titles', readAllTitles)
  const proposed = beginning && attributes && keyOf(beginning.columns, attributes)
  return { ...beginning, attributes, isReading: file !== undefined && (isReading || isLoading), proposed }
}

/** Sends a file. Who leaves the form ends it. */
function useSending() {
  const texts = useTexts()
  const { run, isBusy, problem } = useAction()
  const [sent, setSent] = useState<number>()
  const ending = useRef(new AbortController())
  useEffect(() => () => ending.current.abort(), [])
  /** Answers the id of the plan; undefined if the sending has ended or failed. */
  const send = async (given: Pick<Parameters<typeof sendFile>[1], 'body' | 'file' | 'rows'>) => {
    ending.current = new AbortController()
    const { signal } = ending.current
    let id: string | undefined
    await run(async () => {
      setSent(0)
      try {
        id = await sendFile(api, { ...given, signal, onProgress: setSent })
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        setSent(undefined)
      }
    })
    return signal.aborted ? undefined : id
  }
  const end = () => {
    ending.current.abort()
    say(texts.files.notSent)
  }
  return { send, end, sent, isBusy, problem }
}

function wordsForLack(lack: Lack, { files, problems }: Texts): string {
  const words = { FILE: files.chooseFile, KEY: files.noKey, HEADERS: files.headersMissing, TWICE: files.twice }
  return lack === 'REQUIRED' ? problems.required : words[lack]
}

type CellsProperties = {
  columns: readonly Column[]
  chosen: Asked['columns']
  attributes: readonly NamedAttribute[]
}

/** What the service would not take of the first rows, and how to put that right in the spreadsheet. */
function UnfitCells({ columns, chosen, attributes }: CellsProperties) {
  const { files } = useTexts()
  const { dates, statuses } = useMemo(() => unfitCells(columns, chosen, attributes), [columns, chosen, attributes])
  return (
    <div role="status">
      {dates.length > 0 && (
        <p>
          <strong>{files.dates(dates.join(', '))}</strong> {files.datesAdvice}
        </p>
      )}
      {statuses.length > 0 && (
        <p>
          <strong>{files.statuses(statuses.join(', '))}</strong> {files.statusesAdvice}
        </p>
      )}
    </div>
  )
}

/** What few files need. */
function MoreChoices({ asked, set, faults }: Omit<AbsentProperties, 'attributes'>) {
  const texts = useTexts()
  return (
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
      <Check label={texts.files.restores} isChecked={asked.restores} onChecked={(restores) => set({ restores })} />
      {asked.restores && <p class="hint">{texts.files.restoresHint}</p>}
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

/** What the form begins with: the choices and the file of a plan that was refused, or nothing. */
function startOf() {
  const again = againIn(history.state)
  return {
    isAgain: again !== undefined,
    asked: again?.asked ?? nothingAsked,
    file: again && fileOf(again.plan),
  }
}

function Again({ isAgain, hasFile }: { isAgain: boolean; hasFile: boolean }) {
  const texts = useTexts()
  return isAgain ? <p class="hint">{hasFile ? texts.files.again : texts.files.againWithFile}</p> : null
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
