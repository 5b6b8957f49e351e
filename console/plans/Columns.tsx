import { SelectField } from '../parts/Field.tsx'
import { textOf, useTexts } from '../texts/texts.ts'
import { fieldOfHeader, fieldsOfFiles, type NamedAttribute, suggestedIn } from './fileRequest.ts'

type Mapping = Readonly<Record<string, string | null>>
type Properties = {
  headers: readonly string[]
  attributes: readonly NamedAttribute[]
  columns: Mapping
  onColumns: (columns: Mapping) => void
  /** Shown from the beginning: somebody should look. */
  isOpen: boolean
  /** By the names of the fields. */
  faults: ReadonlyMap<string, string>
}

const leftOut = '-'

/** What each column of the file is. By itself the service goes by the header; here somebody can say otherwise. */
export function Columns({ headers, attributes, columns, onColumns, isOpen, faults }: Properties) {
  const texts = useTexts()
  const fields = [
    ...fieldsOfFiles.map((field) => ({ value: field as string, text: textOf(texts.fields, field) })),
    ...attributes.map(({ name, title }) => ({ value: `attribute:${name}`, text: title })),
  ]
  const byHeader = (header: string) => {
    const field = fieldOfHeader(header, attributes)
    return fields.find(({ value }) => value === field)?.text
  }
  const unknown = headers.filter((header) => byHeader(header) === undefined && !Object.hasOwn(columns, header))
  const suggestions = suggestedIn(headers, attributes)
  const suggested = Object.entries(suggestions).filter(([name, field]) => columns[name] === field)
  const optionsFor = (header: string) =>
    fields.map(({ value, text }) => ({
      value,
      text: value === suggestions[header] ? texts.files.isSuggested(text) : text,
    }))
  const change = (header: string, value: string) => {
    const others = Object.entries(columns).filter(([name]) => name !== header)
    const own: [string, string | null][] = value === '' ? [] : [[header, value === leftOut ? null : value]]
    onColumns(Object.fromEntries([...others, ...own]))
  }
  return (
    <details class="more" open={isOpen}>
      <summary>
        {texts.files.columns(headers.length)}
        {suggested.length > 0 && ` · ${texts.files.suggested(suggested.length)}`}
        {unknown.length > 0 && ` · ${texts.files.notKnown(unknown.length)}`}
      </summary>
      <p class="hint">{texts.files.columnsHint}</p>
      {faults.has('columns') && <p class="fault">{faults.get('columns')}</p>}
      <div class="columns">
        {headers.map((header, n) => {
          const known = byHeader(header)
          return (
            <SelectField
              key={header}
              name={`column-${n}`}
              label={header}
              value={Object.hasOwn(columns, header) ? (columns[header] ?? leftOut) : ''}
              onValue={(value) => change(header, value)}
              options={[
                { value: '', text: known === undefined ? texts.files.unknown : texts.files.byHeader(known) },
                { value: leftOut, text: texts.files.leaveOut },
                ...optionsFor(header),
              ]}
              fault={faults.get(`column-${n}`)}
            />
          )
        })}
      </div>
    </details>
  )
}
