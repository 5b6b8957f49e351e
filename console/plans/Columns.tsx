import { useRead } from '../data/useRead.ts'
import { SelectField } from '../parts/Field.tsx'
import { readAttributes } from '../people/PeopleFilterMenu.tsx'
import { textOf, useTexts } from '../texts/texts.ts'
import { fieldsOfFiles } from './fileRequest.ts'

type Mapping = Readonly<Record<string, string | null>>
type Properties = { headers: readonly string[]; columns: Mapping; onColumns: (columns: Mapping) => void }

const leftOut = '-'

/** What each column of the file is. By itself the service goes by the header; here somebody can say otherwise. */
export function Columns({ headers, columns, onColumns }: Properties) {
  const texts = useTexts()
  const { data: attributes = [] } = useRead('attributes', readAttributes)
  const options = [
    { value: '', text: texts.files.byHeader },
    { value: leftOut, text: texts.files.leaveOut },
    ...fieldsOfFiles.map((field) => ({ value: field as string, text: textOf(texts.fields, field) })),
    ...attributes.map(({ name, title }) => ({ value: `attribute:${name}`, text: title })),
  ]
  const change = (header: string, value: string) => {
    const others = Object.entries(columns).filter(([name]) => name !== header)
    const own: [string, string | null][] = value === '' ? [] : [[header, value === leftOut ? null : value]]
    onColumns(Object.fromEntries([...others, ...own]))
  }
  return (
    <details class="more">
      <summary>{texts.files.columns(headers.length)}</summary>
      <p class="hint">{texts.files.columnsHint}</p>
      <div class="columns">
        {headers.map((header, n) => (
          <SelectField
            key={header}
            name={`column-${n}`}
            label={header}
            value={Object.hasOwn(columns, header) ? (columns[header] ?? leftOut) : ''}
            onValue={(value) => change(header, value)}
            options={options}
          />
        ))}
      </div>
    </details>
  )
}
