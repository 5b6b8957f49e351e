// What a fault of a plan says, in the reader's words. Pure.
import { dateText } from '../data/moments.ts'
import { type Texts, textOf } from '../texts/texts.ts'
import { attributeIn } from './planQuery.ts'

/** A fault as the service answers it. Its detail is in English, for support. */
export type Fault = { code: string; detail: string }

/** What stands before the detail of a fault that is about one person. */
const ofPerson = /^User (\S+): /

/** The id of the person at fault; undefined if it is a row or the whole plan. */
export const personIn = ({ detail }: Pick<Fault, 'detail'>): string | undefined => ofPerson.exec(detail)?.[1]

type Given = { texts: Texts; rowText: (row: number) => string; fieldTitle: (field: string) => string }
type Sentence = [pattern: RegExp, say: (found: string[], given: Given) => string]

const day = (at: string | undefined, texts: Texts): string => dateText(at ?? '', texts)

/** The sentences of the service that say more than their code. What is not here is said by the code. */
const sentences: readonly Sentence[] = [
  [/^This user is protected against every change$/, (_, { texts }) => texts.plans.says.isProtected],
  [/^The last active administrator must remain$/, (_, { texts }) => texts.plans.says.lastAdministrator],
  [
    /^The user is PENDING_DELETION until (\S+), and pending is FAULT$/,
    ([at], { texts }) => texts.plans.says.leaving(day(at, texts), texts.files.restores),
  ],
  [
    /^The user is ([A-Z_]+): [a-z]+ is not possible$/,
    ([status = ''], { texts }) =>
      status === 'PENDING_DELETION' ? texts.plans.says.isLeaving : texts.plans.says.state(textOf(texts.status, status)),
  ],
  [/ is the same as in row (\d+)$/, ([row], { texts, rowText }) => texts.plans.says.sameAs(rowText(Number(row)))],
  [/ is taken by another row, too$/, (_, { texts }) => texts.plans.says.takenTwice],
  [
    / (?:belongs to the user \S+, who is deleted: it is free from|is reserved until) (\S+?)(?: on)?$/,
    ([at], { texts }) => texts.plans.says.freeFrom(day(at, texts)),
  ],
  [
    /^The username belongs to another user, who is deleted for good at (\S+)$/,
    ([at], { texts }) => texts.plans.says.freeFrom(day(at, texts)),
  ],
  [
    /^The row has (\d+) cells, and the header row (\d+)$/,
    ([has, headers], { texts }) => texts.plans.says.cells(Number(has), Number(headers)),
  ],
  [/ must not be a number that a spreadsheet has shortened/, (_, { texts }) => texts.plans.says.shortened],
  [/ it has characters that cannot be read$/, (_, { texts }) => texts.plans.says.encoding],
  [/^The header row cannot be read/, (_, { texts }) => texts.plans.says.encoding],
  [/ must (?:not be empty|be given): it says which user/, (_, { texts }) => texts.plans.says.emptyKey],
  [/ must not be empty, as it cannot be cleared$/, (_, { texts }) => texts.plans.says.notCleared],
  [/^(.+) must be given$/, ([field = ''], { texts, fieldTitle }) => texts.plans.says.missing(fieldTitle(field))],
  [/ must have at most ([\d,]+) characters?$/, ([most], { texts }) => texts.plans.says.tooLong(most ?? '')],
  [/ must be an e-mail address/, (_, { texts }) => texts.problems.notAnEmail],
  [/ must be ([A-Z]+(?:, [A-Z]+)* or [A-Z]+)$/, ([words = ''], { texts }) => texts.plans.says.oneOf(words)],
  [
    /^No header names (\w+), by which/,
    ([field = ''], { texts, fieldTitle }) => texts.plans.says.noKey(fieldTitle(field)),
  ],
  [
    /^The headers "(.*)" and "(.*)" both name (\S+?): leave/,
    ([one = '', other = '', field = ''], { texts, fieldTitle }) =>
      texts.plans.says.twoHeaders(one, other, fieldTitle(field)),
  ],
  [
    /^The header (.+) names the attributes .+: say in columns which one it is$/,
    ([header = ''], { texts }) => texts.plans.says.unclearHeader(header.replace(/^"(.*)"$/, '$1')),
  ],
  [/^The header row has the character NUL/, (_, { texts }) => texts.plans.says.encoding],
  [/^The file is empty: it has no header row$/, (_, { texts }) => texts.plans.says.emptyFile],
  [/^The file ends in the middle of a character$/, (_, { texts }) => texts.plans.says.cutOff],
  [
    /^The file ends inside a quote, in row (\d+)$/,
    ([row], { texts, rowText }) => texts.plans.says.openQuote(rowText(Number(row))),
  ],
  [
    /^The file ends inside a quote, in its header row$/,
    (_, { texts }) => texts.plans.says.openQuote(texts.plans.says.headers),
  ],
  [
    /^Row (\d+) has more than (\d+) kB/,
    ([row, kB], { texts, rowText }) => texts.plans.says.longRow(rowText(Number(row)), Number(kB)),
  ],
  [
    /^The header row has more than (\d+) kB$/,
    ([kB], { texts }) => texts.plans.says.longRow(texts.plans.says.headers, Number(kB)),
  ],
  [/^The file has more than (\d+) rows$/, ([most], { texts }) => texts.plans.says.manyRows(Number(most))],
  [/^The file has more than (\d+) columns$/, ([most], { texts }) => texts.plans.says.manyColumns(Number(most))],
  [
    /^The key of row (\d+) cannot be read, so nobody/,
    ([row], { texts, rowText }) => texts.plans.says.keyless(rowText(Number(row))),
  ],
  [/^The attribute definitions have changed while/, (_, { texts }) => texts.plans.says.attributesChanged],
  [
    /^(\d+) rows have faults, and on_fault is REFUSE$/,
    ([count], { texts }) => texts.plans.says.anyFault(Number(count)),
  ],
  [
    /^The file has (\d+) rows, and not (\d+)$/,
    ([has, said], { texts }) => texts.plans.says.rows(Number(has), Number(said)),
  ],
]

/** What a plan does too much of. */
const beyond =
  /^The plan (changes|locks, deactivates or deletes|clears (\S+) of) (\d+) of (\d+) users, and \w+ (\d+) allows (\d+)$/

const beyondChanges = /^The plan makes (\d+) changes, and its limit is (\d+)$/
/** There are more absent users than were counted: the count is a lower bound. */
const unjudged = /^(\d+) more users seem to be in no row/

/** The limits that a plan exceeds, each with its numbers; undefined if they are not known. */
function limitsIn(detail: string, given: Given): string | undefined {
  const all = detail.split('. ')
  const isBound = all.some((sentence) => unjudged.test(sentence))
  const said = all.filter((sentence) => !unjudged.test(sentence)).map((sentence) => limitIn(sentence, isBound, given))
  return said.every((one) => one !== undefined) ? said.join(' ') : undefined
}

function limitIn(sentence: string, isBound: boolean, { texts, fieldTitle }: Given): string | undefined {
  const { limit } = texts.plans.says
  const [, planned, allowed] = beyondChanges.exec(sentence) ?? []
  if (planned !== undefined) return limit.inAll(limit.count(Number(planned), isBound), Number(allowed))
  const [, does, field, number, scope, percent, most] = beyond.exec(sentence) ?? []
  if (does === undefined) return undefined
  const what =
    field === undefined ? (does === 'changes' ? limit.changes : limit.lifecycle) : limit.clears(fieldTitle(field))
  return limit.says(what, limit.count(Number(number), isBound), Number(scope), Number(percent), Number(most))
}

const mostShown = 100

/** A value of a file, as much of it as people read. */
export const cutText = (text: string): string => {
  const characters = [...text]
  return characters.length > mostShown ? `${characters.slice(0, mostShown).join('')}…` : text
}

/** Faults in the order of their rows; what is about no row comes first. */
export const byRow = <T extends { row: number | null }>(faults: readonly T[]): T[] =>
  faults.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0))

/** What a fault says. `attributes`: their titles. `rowText`: what a row is called that the service counts. */
export function faultText(
  { code, detail }: Fault,
  given: { texts: Texts; rowText: (row: number) => string; attributes: readonly { name: string; title: string }[] },
): string {
  const { texts, rowText, attributes } = given
  const fieldTitle = (field: string) => {
    const attribute = attributeIn(field)
    if (attribute === undefined) return textOf(texts.fields, field)
    return attributes.find(({ name }) => name === attribute)?.title ?? attribute
  }
  const all = { texts, rowText, fieldTitle }
  if (code === 'INVALID_DATE_ATTRIBUTE_FORMAT') return texts.plans.says.date
  const limits = code === 'PLAN_LIMIT_EXCEEDED' ? limitsIn(detail, all) : undefined
  if (limits) return `${limits} ${texts.errors.PLAN_LIMIT_EXCEEDED}`
  const words = detail.replace(ofPerson, '')
  for (const [pattern, say] of sentences) {
    const found = pattern.exec(words)
    if (found) return say(found.slice(1), all)
  }
  return textOf(texts.errors, code)
}

/** From so many rows on, the same fault is said once for all of them. */
export const fewestInCommon = 5

type InRow = Fault & { row: number | null; column: string | null }

/** Faults that many rows have in the same column, those of most rows first, each with its first row. */
export function commonFaults(faults: readonly InRow[], says: (fault: Fault) => string) {
  const ofRows = byRow(faults).flatMap(({ row, column, ...fault }) =>
    row === null ? [] : [{ row, column, text: says(fault) }],
  )
  return [...Map.groupBy(ofRows, ({ column, text }) => JSON.stringify([column, text])).values()]
    .flatMap((some) => (some[0] && some.length >= fewestInCommon ? [{ ...some[0], count: some.length }] : []))
    .sort((one, other) => other.count - one.count)
}
