import { asRecord } from '../request/input.ts'
import { leadsOut, loaded } from './richText.ts'

type Fields = Readonly<Record<string, unknown>>
type Insertion = Fields & { insert: unknown }

/** Far more levels than any editor makes. */
const DEEPEST_DELTA = 30
/** Insertions that are loaded from elsewhere. */
const embedded = ['image', 'video']

/**
 * A Quill delta that is safe to show, and its text: what it inserts, and the `alt` of images; undefined if the text is no
 * delta. Links and embedded media have addresses that HTML may have; a delta without others stays as it came.
 */
export function cleanDelta(delta: string): { clean: string; text: string } | undefined {
  const given = parsed(delta)
  const ops = asRecord(given)?.ops
  if (!Array.isArray(ops) || !ops.every(isInsertion) || isDeeperThan(DEEPEST_DELTA, given)) return undefined
  const kept = ops.filter(isShown).map(withoutBadLink)
  const isClean = kept.length === ops.length && kept.every((op, n) => op === ops[n])
  return {
    clean: isClean ? delta : JSON.stringify({ ...asRecord(given), ops: kept }),
    text: kept.map(textIn).join(''),
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Text, or what is embedded in it. */
const isInsertion = (op: unknown): op is Insertion => {
  const insert = asRecord(op)?.insert
  return typeof insert === 'string' || asRecord(insert) !== undefined
}

const leads = (value: unknown, form: RegExp): boolean =>
  !isGiven(value) || (typeof value === 'string' && form.test(value))

const isShown = ({ insert }: Insertion): boolean => embedded.every((name) => leads(asRecord(insert)?.[name], loaded))

/** What an insertion reads as. */
function textIn({ insert, attributes }: Insertion): string {
  if (typeof insert === 'string') return insert
  const { image, formula } = asRecord(insert) ?? {}
  const text = isGiven(image) ? asRecord(attributes)?.alt : formula
  return typeof text === 'string' ? text : ''
}

function withoutBadLink(op: Insertion): Insertion {
  const { link, ...others } = asRecord(op.attributes) ?? {}
  return leads(link, leadsOut) ? op : { ...op, attributes: others }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether a value is nested deeper than so many levels. Level by level: a deep one would overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested)
  }
  return false
}
