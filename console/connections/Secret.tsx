import { CopyButton } from '../parts/CopyButton.tsx'
import { Dialog } from '../parts/Dialog.tsx'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  title: string
  /** What it is for. */
  means: string
  secret: string
  onClose: () => void
}

/** A secret, shown once. It is nowhere else in the page, and gone when the dialog closes. */
export function Secret({ title, means, secret, onClose }: Properties) {
  const texts = useTexts()
  return (
    <Dialog title={title}>
      <p>{texts.connections.secretOnce}</p>
      <p>{means}</p>
      <Copied label={texts.connections.secret} value={secret} />
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.connections.secretKept}
        </button>
      </div>
    </Dialog>
  )
}

/** A value to copy. */
export const Copied = ({ label, value }: { label: string; value: string }) => (
  <div class="copied">
    <span class="note">{label}</span>
    <code dir="ltr">{value}</code> <CopyButton value={value} label={label} />
  </div>
)
