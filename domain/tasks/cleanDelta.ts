import { leadsOut, loaded } from './richText.ts'

type Fields = Readonly<Record<string, unknown>>
type Insertion = Fields & { insert: unknown }

/** Far more levels than any editor makes. */
const DEEPEST_DELTA = 30
/** What is loaded from elsewhere when it is shown. */
const embedded = ['image', 'video']

/**
 * A Quill delta that is safe to show, and its text: what it inserts, and for an image the words in its place; undefined
 * where it is none.
 * Links and embedded media lead where those of HTML may; a delta that has no others stays as it came.
 */
export function cleanDelta(delta: string): { clean: string; text: string } | undefined {
  const given = parsed(delta)
  const ops = fieldsOf(given)?.ops
  if (!Array.isArray(ops) || !ops.every(isInsertion) || isDeeperThan(DEEPEST_DELTA, given)) return undefined
  const kept = ops.filter(isShown).map(withoutBadLink)
  const isClean = kept.length === ops.length && kept.every((op, n) => op === ops[n])
  return {
    clean: isClean ? delta : JSON.stringify({ ...fieldsOf(given), ops: kept }),
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

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Text, or what is embedded in it. */
const isInsertion = (op: unknown): op is Insertion => {
  const insert = fieldsOf(op)?.insert
  return typeof insert === 'string' || fieldsOf(insert) !== undefined
}

const leads = (value: unknown, form: RegExp): boolean =>
  !isGiven(value) || (typeof value === 'string' && form.test(value))

const isShown = ({ insert }: Insertion): boolean => embedded.every((name) => leads(fieldsOf(insert)?.[name], loaded))

/** What an insertion reads as. */
function textIn({ insert, attributes }: Insertion): string {
  if (typeof insert === 'string') return insert
  const { image, formula } = fieldsOf(insert) ?? {}
  const text = isGiven(image) ? fieldsOf(attributes)?.alt : formula
  return typeof text === 'string' ? text : ''
}

function withoutBadLink(op: Insertion): Insertion {
  const { link, ...others } = fieldsOf(op.attributes) ?? {}
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
