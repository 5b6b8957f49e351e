import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

/** Copies a value that is shown beside it. `label` says of what, where there are several. */
export function CopyButton({ value, label }: { value: string; label?: string }) {
  const texts = useTexts()
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => say(texts.common.copied),
      // The browser, or somebody whom it has asked, does not allow it.
      () => say(texts.common.notCopied),
    )
  return (
    <button type="button" class="quiet" aria-label={label && texts.common.copyWhat(label)} onClick={copy}>
      {texts.common.copy}
    </button>
  )
}
