import { Field } from '../parts/Field.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = { file: File | undefined; onFile: (file: File) => void; fault: string | undefined }

/** A file, chosen or dropped: browsers take what is dropped on the field. */
export function ChooseFile({ file, onFile, fault }: Properties) {
  const texts = useTexts()
  return (
    <div class="drop">
      <Field label={texts.files.file} hint={texts.files.fileHint} fault={fault} isRequired>
        {(given) => (
          <input
            {...given}
            type="file"
            name="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={({ currentTarget }) => {
              const [chosen] = currentTarget.files ?? []
              if (chosen) onFile(chosen)
            }}
          />
        )}
      </Field>
      {file && (
        <p role="status">
          <strong dir="auto">{file.name}</strong> · {texts.files.size(file.size)}
        </p>
      )}
    </div>
  )
}
