import { useEffect, useRef, useState } from 'preact/hooks'
import { exportUsers } from '../../client/src/index.ts'
import { api } from '../data/api.ts'
import { saveFile } from '../data/saveFile.ts'
import { useAction } from '../data/useAction.ts'
import type { Total } from '../data/useList.ts'
import { Dialog, DialogActions } from '../parts/Dialog.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Problem } from '../parts/Problem.tsx'
import { Progress } from '../parts/Progress.tsx'
import { csvRows, csvText, type Separator, separators, usualSeparator } from '../plans/csv.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { isFiltered, listQuery, type PeopleFilters } from './peopleQuery.ts'

type Who = 'MATCHING' | 'ALL'
type Properties = { filters: PeopleFilters; total: Total | undefined; onClose: () => void }

/** Today in the zone of the reader, as files are named. */
const today = () => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(new Date())

/** How many people are left out of a file, as they are being deleted: nobody, if the filter says which states it is about. */
async function countLeftOut(filter: ReturnType<typeof listQuery>, signal: AbortSignal): Promise<number> {
  if (filter.status) return 0
  const query = { ...filter, status: ['PENDING_DELETION' as const], page_limit: 1 }
  const { data } = await api.GET('/api/admin/users/v4/users', { signal, params: { query } })
  return data.pagination.total_elements ?? 0
}

/** Saves people as a file for spreadsheets: those who match, or all. Closing the dialog ends it. */
export function ExportDialog({ filters, total, onClose }: Properties) {
  const texts = useTexts()
  const hasTooMany = total?.isAtLeast === true
  // Of a search with very many matches only some can be read.
  const mayMatch = isFiltered(filters) && !hasTooMany
  const [who, setWho] = useState<Who>(mayMatch ? 'MATCHING' : 'ALL')
  const [separator, setSeparator] = useState(usualSeparator(texts.language))
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const { run, isBusy, problem } = useAction()
  const ending = useRef(new AbortController())
  useEffect(() => () => ending.current.abort(), [])
  const filter = who === 'MATCHING' ? listQuery(filters) : {}
  const save = () =>
    run(async () => {
      const { signal } = ending.current
      let [done, leftOut] = [0, 0]
      const onProgress = (now: { done: number; total: number }) => {
        done = now.done
        setProgress(now)
      }
      try {
        const pieces = await Array.fromAsync(exportUsers(api, { filter, onProgress, signal }))
        leftOut = await countLeftOut(filter, signal)
        // Each piece has whole rows.
        const text = pieces.map((piece) => csvText(csvRows(piece, ','), separator))
        saveFile(texts.people.exportFile(who, today()), text)
      } catch (error) {
        if (signal.aborted) return
        throw error
      }
      say(texts.people.exported(done, leftOut))
      onClose()
    })
  const options = [
    ...(mayMatch ? [{ value: 'MATCHING' as const, text: texts.people.exportWho.MATCHING(total?.count) }] : []),
    { value: 'ALL' as const, text: texts.people.exportWho.ALL },
  ]
  return (
    <Dialog title={texts.people.exportTitle} onClose={onClose}>
      <p>{texts.people.exportIntro}</p>
      <SelectField<Who>
        name="who"
        label={texts.people.exportOf}
        hint={hasTooMany && isFiltered(filters) ? texts.people.atLeastAdvice : undefined}
        value={who}
        onValue={setWho}
        options={options}
      />
      <SelectField<Separator>
        name="separator"
        label={texts.people.separator}
        value={separator}
        onValue={setSeparator}
        options={separators.map((value) => ({ value, text: texts.people.separators[value] }))}
      />
      {progress && <Progress label={texts.people.exporting} {...progress} />}
      <Problem problem={problem} />
      <DialogActions action={texts.people.exportSave} onAction={save} isBusy={isBusy} onClose={onClose} />
    </Dialog>
  )
}
