import type { Section } from '../../schemas/sections.ts'
import type { Localized } from '../request/context.ts'
import { checkTexts } from '../request/localizedTexts.ts'
import { mergePatch } from '../request/patch.ts'
import type { Draft, Outcome } from './draft.ts'
import { addFaultTo } from './draftFaults.ts'

/**
 * A record as the file wants it: what the file does not say stays as it is stored, or as it is by default; null brings
 * the default back.
 */
export function patchedRecord<T extends object>(
  patch: object,
  stored: T | undefined,
  fresh: T,
  now: string,
): { data: T; outcome: Outcome } {
  const data = mergePatch(stored ?? fresh, patch, fresh)
  if (!stored) return { data, outcome: 'created' }
  if (data === stored) return { data, outcome: 'unchanged' }
  return { data: 'updated_at' in data ? { ...data, updated_at: now } : data, outcome: 'updated' }
}

type Titled = { title: Localized[]; description?: Localized[] }

/** A record as the file wants it, and the stored one. `fresh` is the record by default. Adds faults of its texts. */
export function wantedRecord<T extends Titled>(
  draft: Draft,
  section: Section,
  { index, value }: { index: number | null; value: object },
  { before, fresh }: { before: T | undefined; fresh: T },
) {
  const addFault = addFaultTo(draft, section, index)
  const { data, outcome } = patchedRecord(value, before, fresh, draft.context.now)
  // The import itself adds texts in English, whatever the languages are. If the organisation has faults, its languages are unknown.
  const isChecked = index !== null && !draft.faults.some((fault) => fault.section === 'organisation')
  const faults = isChecked ? checkTexts(data, draft.structure.organisation.languages, before) : []
  for (const { fault } of faults) addFault(fault.property, fault.message)
  return { addFault, before, data, outcome }
}
