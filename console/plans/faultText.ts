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
  [/ must not be empty: it says which user/, (_, { texts }) => texts.plans.says.emptyKey],
  [/ must not be empty, as it cannot be cleared$/, (_, { texts }) => texts.plans.says.notCleared],
  [/ must be given$/, (_, { texts }) => texts.plans.says.missing],
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
    /^The file has (\d+) rows, and not (\d+)$/,
    ([has, said], { texts }) => texts.plans.says.rows(Number(has), Number(said)),
  ],
]

/** What a plan does too much of. */
const beyond =
  /^The plan (changes|locks, deactivates or deletes|clears (\S+) of) (\d+) of (\d+) users, and \w+ (\d+) allows (\d+)$/

/** The limits that a plan exceeds, each with its numbers; undefined if they are not known. */
function limitsIn(detail: string, { texts, fieldTitle }: Given): string | undefined {
  const said = detail.split('. ').map((sentence) => {
    const [, does, field, number, scope, percent, most] = beyond.exec(sentence) ?? []
    if (does === undefined) return undefined
    const { limit } = texts.plans.says
    const what =
      field === undefined ? (does === 'changes' ? limit.changes : limit.lifecycle) : limit.clears(fieldTitle(field))
    return limit.says(what, Number(number), Number(scope), Number(percent), Number(most))
  })
  return said.every((one) => one !== undefined) ? said.join(' ') : undefined
}

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
