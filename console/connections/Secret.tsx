import { Dialog } from '../parts/Dialog.tsx'
import { say } from '../shell/announce.tsx'
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
export function Copied({ label, value }: { label: string; value: string }) {
  const texts = useTexts()
  return (
    <div class="copied">
      <span class="note">{label}</span>
      <code dir="ltr">{value}</code>{' '}
      <button
        type="button"
        class="quiet"
        aria-label={texts.connections.copyWhat(label)}
        onClick={async () => {
          await navigator.clipboard.writeText(value)
          say(texts.common.copied)
        }}
      >
        {texts.common.copy}
      </button>
    </div>
  )
}
