import { useId } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  label: string
  done: number
  total: number
  /** For numbers that say nothing to people. */
  isPercent?: boolean
}

/** How far work is that takes a while. */
export function Progress({ label, done, total, isPercent = false }: Properties) {
  const texts = useTexts()
  const id = useId()
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <progress aria-labelledby={id} value={done} max={Math.max(1, total)} />
      <span class="numbers">
        {isPercent
          ? texts.common.percent(Math.floor((100 * done) / Math.max(1, total)))
          : texts.common.progress(done, total)}
      </span>
    </div>
  )
}
