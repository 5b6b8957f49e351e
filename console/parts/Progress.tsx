import { useId } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

/** How far work is that takes a while. The page can be left: the work goes on. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const texts = useTexts()
  const id = useId()
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <progress aria-labelledby={id} value={done} max={Math.max(1, total)} />
      <span class="numbers">{texts.common.progress(done, total)}</span>
    </div>
  )
}
