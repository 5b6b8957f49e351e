import { exactText, momentText } from '../data/moments.ts'
import { useTexts } from '../texts/texts.ts'

/** A moment in the reader's zone; the exact one shows when somebody points at it. */
export function Time({ at }: { at: string }) {
  const texts = useTexts()
  return (
    <time dateTime={at} title={exactText(at, texts)}>
      {momentText(at, texts)}
    </time>
  )
}
