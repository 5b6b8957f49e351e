/** How far a part of some work is. */
type Progress = { section: string; done: number; total: number }
type Output = { isTTY?: boolean; write: (text: string) => unknown }

const millisecondsBetween = { terminal: 100, file: 2_000 }

/** Shows progress and speed of each section: updated in place on a terminal, as a line every two seconds elsewhere. */
export const progressLine = (output: Output, now = () => performance.now()) => {
  let section: string | undefined
  let [startedAt, shownAt] = [0, 0]
  const between = output.isTTY ? millisecondsBetween.terminal : millisecondsBetween.file
  const end = () => {
    if (section !== undefined && output.isTTY) output.write('\n')
    section = undefined
  }
  const show = ({ section: of, done, total }: Progress) => {
    if (of !== section) {
      end()
      ;[section, startedAt, shownAt] = [of, now(), Number.NEGATIVE_INFINITY]
    }
    if (done < total && now() - shownAt < between) return
    shownAt = now()
    const seconds = (shownAt - startedAt) / 1_000
    const rate = seconds > 0.5 ? `  ${Math.round(done / seconds)}/s` : ''
    const text = `${of.padEnd(22)} ${String(done).padStart(String(total).length)} of ${total}${rate}`
    output.write(output.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  return { show, end }
}
