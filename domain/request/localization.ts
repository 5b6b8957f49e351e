import { type AppError, errorOf, type Found, faultAt } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import type { Store } from '../table/store.ts'
import type { AlsoWrong, Context } from './context.ts'
import { asRecord, isReference } from './given.ts'

/** One language of a text. */
export type Localized = { language: string; text: string }

/** The text that fits the caller best, for the answer: its content-language will name the language. */
export async function bestText(context: Context, texts: readonly Localized[]): Promise<Localized> {
  const choose = await context.choice()
  const best = choose(texts)
  context.spoke(best.language)
  return best
}

/** Characters that title and description of a record have in all their languages: lists carry them along. */
const MOST_CHARACTERS = 20_000

/** The texts that are stored of a record, if it is. */
type Stored = { title: readonly Localized[]; description?: readonly Localized[] } | undefined

/**
 * What the form of a record does not say about its title and description: each text is in a language of the
 * organisation, or stands there already since that was one, and is the only one in it, and together they are not too
 * long. Other faults of theirs are judged elsewhere, so nothing of their form is taken for granted.
 */
export function checkTexts(record: unknown, languages: readonly string[], stored: Stored): Found[] {
  const enabled = new Set(languages.map((language) => language.toLowerCase()))
  const [title, description] = [textsIn(record, 'title'), textsIn(record, 'description')]
  return [
    ...languageFaults('title', title, { enabled, kept: textsIn(stored, 'title') }),
    ...languageFaults('description', description, { enabled, kept: textsIn(stored, 'description') }),
    ...lengthFaults(title, description),
  ]
}

/** Refuses texts that are too long together: a patch may bring a title to a description that is there, or the other way. */
export function checkLength(record: { title: readonly Localized[]; description: readonly Localized[] }): void {
  const fault = errorOf(
    lengthFaults(textsIn(record, 'title'), textsIn(record, 'description'), ', with the stored ones'),
  )
  if (fault) throw fault
}

/** What checkTexts finds in the body of a request, as one refusal; `stored` is the record that a patch changes. */
export async function wrongTexts(
  context: Context,
  body: unknown,
  stored?: Promise<Stored>,
): Promise<AppError | undefined> {
  const [{ languages }, before] = await Promise.all([context.organisation(), stored])
  return errorOf(checkTexts(body, languages, before))
}

/** What is wrong with the texts of a new record, where other things are, too. */
export const wrongNewTexts: AlsoWrong = (context, body) => wrongTexts(context, body)

/** What is wrong with the texts of a patch, where other things are, too; `read` finds the record by what the path says. */
export const wrongTextsOf =
  (name: string, read: (store: Store, id: string) => Promise<Stored>): AlsoWrong =>
  (context, body, { [name]: id }) =>
    wrongTexts(context, body, isReference(id) ? read(context.store, id) : undefined)

type Allowed = { enabled: ReadonlySet<string>; kept: readonly GivenText[] }

function languageFaults(property: string, texts: readonly GivenText[], { enabled, kept }: Allowed): Found[] {
  const seen = new Set<string>()
  return texts.flatMap(({ language, text }, index): Found[] => {
    if (language === undefined) return []
    const at = `${property}.${index}.language`
    if (!enabled.has(language) && !kept.some((one) => one.language === language && one.text === text))
      return [faultAt('LANGUAGE_NOT_ENABLED', at, 'is no language of the organisation')]
    if (seen.has(language)) return [faultAt('VALIDATION_ERROR', at, 'must not be given twice')]
    seen.add(language)
    return []
  })
}

function lengthFaults(title: readonly GivenText[], description: readonly GivenText[], extent = ''): Found[] {
  const characters = [...title, ...description].reduce((sum, { text }) => sum + charactersIn(text), 0)
  if (characters <= MOST_CHARACTERS) return []
  const message = `must NOT have more than ${MOST_CHARACTERS} characters in title and description together${extent}`
  return [faultAt('VALIDATION_ERROR', description.length > 0 ? 'description' : 'title', message)]
}

type GivenText = { language: string | undefined; text: string }

/** The texts of a record as far as they can be read. */
function textsIn(record: unknown, property: 'title' | 'description'): GivenText[] {
  const texts = asRecord(record)?.[property]
  if (!Array.isArray(texts)) return []
  return texts.map((one: { language?: unknown; text?: unknown } | null) => ({
    language: typeof one?.language === 'string' ? one.language.toLowerCase() : undefined,
    text: typeof one?.text === 'string' ? one.text : '',
  }))
}
