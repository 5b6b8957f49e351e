import { checkUniqueness, type DirectoryFile, type ListSection } from './directoryFile.ts'
import { plannedReference, type Reference, referenceWritten } from './importDirectory.ts'
import { idOf } from './importedUser.ts'
import { type ImportContext, needTime } from './importStore.ts'
import {
  addSummary,
  countConflict,
  emptySummary,
  type ImportFault,
  ImportRefused,
  type ImportSummary,
  sortLists,
  unlessDown,
} from './importSummary.ts'
import { ENOUGH_FAULTS, type LineSource, type Position, type Slice, slicesOf } from './lineFile.ts'
import { emptyPlan, type Plan } from './plan.ts'
import { planAssignments } from './planAssignments.ts'
import { findReferred } from './planReference.ts'
import { planUsers } from './planUsers.ts'
import { type Seen, seenNames } from './seenNames.ts'
import { writeAssignments } from './writeAssignments.ts'
import { writeUsers } from './writeUsers.ts'

const start: Position = { offset: 0, line: 0 }

/**
 * Checks a file of lines against itself and against what is stored, slice by slice; answers how many lines it has. Throws
 * ImportRefused with the faults, which name lines.
 */
export async function checkLines(context: ImportContext, source: LineSource): Promise<number> {
  const faults: ImportFault[] = []
  const seen = seenNames()
  let reference: Reference | undefined
  let line = 0
  for await (const slice of slicesOf(source, start)) {
    needTime(context)
    const { file, to } = slice
    line = to.line
    checkUniqueness(file, context.now, (section) => within(seen, section))
    if (slice.isHead) reference = await plannedReference(quiet(context), file)
    else if (reference) await checkPeople(reference, slice, seen)
    faults.push(...file.faults)
    if (faults.length >= ENOUGH_FAULTS) break
    const total = Math.max(line, Math.round((line * source.size) / Math.max(1, to.offset)))
    context.onProgress?.({ section: 'checks', done: line, total })
  }
  if (faults.length > 0) inLines(new ImportRefused(faults))
  return line
}

/** Names of one section among those of all. */
const within = (seen: Seen, section: string): Pick<Seen, 'add'> => ({
  add: (name, at) => seen.add(`${section}\n${name}`, at),
})

const isSeenUser = (seen: Seen, id: string): boolean => seen.has(`users\nid\n${id}`)

/** Throws a failure; faults name lines, not places in lists. */
function inLines(error: unknown): never {
  if (!(error instanceof ImportRefused)) throw error
  const faults = error.faults.map(({ index, section, ...fault }) => {
    const line = index === null ? [] : [`line ${index}`]
    return { ...fault, index: null, section: [...line, section].filter((part) => part !== '').join(', ') }
  })
  throw new ImportRefused(faults)
}

async function checkPeople(reference: Reference, { file, lines }: Slice, seen: Seen): Promise<void> {
  for (const { line, section, record, of } of lines)
    if (section !== 'users' && of === undefined && isSeenUser(seen, String((record as { user_id?: unknown }).user_id)))
      file.faults.push({ section, index: line, property: 'user_id', reason: 'must follow the line of its user' })
  const people = planFor(file, reference)
  if (!reference.isFresh) await findReferred(people)
  await planPeople(people, reference)
}

/** A plan for people, who refer to what another plan has found. Its summary tells of people only. */
const planFor = (file: DirectoryFile, { plan }: Reference): Plan => {
  const { context, organisation, roles, groups, definitions, channels } = plan
  return { ...emptyPlan(context, file), organisation, roles, groups, definitions, channels }
}

async function planPeople(plan: Plan, { isFresh }: Reference): Promise<void> {
  await planUsers(plan, isFresh)
  planAssignments(plan)
}

/** A context for parts of a file: their progress is not that of the file. */
const quiet = (context: ImportContext): ImportContext => ({ ...context, onProgress: () => undefined })

/**
 * Brings in a file of lines that has been checked, from a position on; what users refer to comes first. After each slice
 * `noted` is told where the next one begins and what has been done in all; it answers whether to go on. Answers whether
 * the file is through.
 */
export async function bringInLines(
  context: ImportContext,
  source: LineSource,
  { from, summary, lines }: { from: Position; summary: ImportSummary; lines: number },
  noted: (to: Position, summary: ImportSummary) => Promise<boolean>,
): Promise<boolean> {
  for await (const slice of slicesOf(source, from)) {
    const { to, isHead } = slice
    const bringIn = isHead ? bringInHead : bringInPeople
    addSummary(summary, await unlessDown(bringIn(quiet(context), slice)).catch(inLines))
    if (!isHead) context.onProgress?.({ section: 'users', done: to.line, total: lines })
    if (!(await noted(to, summary)) && to.offset < source.size) return false
  }
  return true
}

async function bringInHead(context: ImportContext, { file }: Slice): Promise<ImportSummary> {
  const plan = await referenceWritten(
    context,
    () => structuredClone(file),
    async () => {},
  )
  return plan.summary
}

async function bringInPeople(context: ImportContext, { file }: Slice): Promise<ImportSummary> {
  const summary = emptySummary()
  for (;;) {
    file.faults.length = 0
    const reference = await plannedReference(context, file)
    const plan = planFor(file, reference)
    await planPeople(plan, reference)
    if (file.faults.length === 0) {
      await writeUsers(plan)
      await writeAssignments(plan)
      addSummary(summary, plan.summary)
      sortLists(summary)
      return summary
    }
    leaveOut(file, summary)
  }
}

/**
 * The file had no faults when it was checked: others have changed since what these records need. They are left out, and the
 * roles of such users are skipped.
 */
function leaveOut(file: DirectoryFile, summary: ImportSummary): void {
  const firsts = new Map(file.faults.map((fault) => [`${fault.section} ${fault.index}`, fault]))
  for (const { section: name, index, property } of firsts.values()) {
    const section = name as ListSection
    if (index === null || !file[section]) throw new ImportRefused(file.faults)
    countConflict(summary, { section, index, property })
    const user = file.users.find((one) => one.index === index)
    if (user) file.unsound.get('users')?.add(idOf(user.value))
    Object.assign(file, { [section]: file[section].filter((entry: { index: number | null }) => entry.index !== index) })
  }
}

/** Checks a file of lines and brings it in, in one go. */
export async function importLines(context: ImportContext, source: LineSource): Promise<ImportSummary> {
  const summary = emptySummary()
  const lines = await unlessDown(checkLines(context, source))
  await bringInLines(context, source, { from: start, summary, lines }, async () => true)
  return summary
}
