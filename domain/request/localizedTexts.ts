import { type AppError, type CodedFault, errorOf, faultAt, requireNone } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { asRecord, isReference } from '../base/values.ts'
import type { Store } from '../table/store.ts'
import type { Context, Localized, MoreFaults } from './context.ts'

// What is wrong with the titles and descriptions that a caller sends.

type Texts = { title: readonly Localized[]; description: readonly Localized[] }

/** Characters of title and description together, in all languages: index entries carry them. */
const MOST_CHARACTERS = 20_000

/** The stored texts of a record; undefined for a new one. */
type Stored = { title: readonly Localized[]; description?: readonly Localized[] } | undefined

/**
 * The faults of title and description that a schema cannot find. Each text is in a language of the organisation, unless
 * the record has this very text already. No language comes twice. All texts together are not too long. The record may
 * have any form: the schema reports its other faults.
 */
export function checkTexts(record: unknown, languages: readonly string[], stored: Stored): CodedFault[] {
  const enabled = new Set(languages.map((language) => language.toLowerCase()))
  const [title, description] = [textsIn(record, 'title'), textsIn(record, 'description')]
  return [
    ...languageFaults('title', title, { enabled, kept: textsIn(stored, 'title') }),
    ...languageFaults('description', description, { enabled, kept: textsIn(stored, 'description') }),
    ...lengthFaults(title, description),
  ]
}

/** Refuses a patched record whose title and description are too long together. */
export const checkLength = (record: Texts): void =>
  requireNone(lengthFaults(textsIn(record, 'title'), textsIn(record, 'description'), ', with the stored ones'))

/** The faults that checkTexts finds in a body, as one error. `stored` is the record that a patch changes. */
export async function wrongTexts(
  context: Context,
  body: unknown,
  stored?: Promise<Stored>,
): Promise<AppError | undefined> {
  const [{ languages }, before] = await Promise.all([context.organisation(), stored])
  const faults = checkTexts(body, languages, before)
  // The settings may be remembered: a language that was added since must not be refused.
  if (faults.length > 0) return errorOf(checkTexts(body, (await context.organisationNow()).languages, before))
  return undefined
}

/** The same for a new record, if the schema has refused its body. */
export const wrongNewTexts: MoreFaults = (context, body) => wrongTexts(context, body)

/** The same for a patch. `read` finds the record by the path parameter `name`. */
export const wrongTextsOf =
  (name: string, read: (store: Store, id: string) => Promise<Stored>): MoreFaults =>
  (context, body, { [name]: id }) =>
    wrongTexts(context, body, isReference(id) ? read(context.store, id) : undefined)

type Allowed = { enabled: ReadonlySet<string>; kept: readonly GivenText[] }

function languageFaults(property: string, texts: readonly GivenText[], { enabled, kept }: Allowed): CodedFault[] {
  const seen = new Set<string>()
  return texts.flatMap(({ language, text }, index): CodedFault[] => {
    if (language === undefined) return []
    const at = `${property}.${index}.language`
    if (!enabled.has(language) && !kept.some((one) => one.language === language && one.text === text))
      return [faultAt('LANGUAGE_NOT_ENABLED', at, 'must be a language of the organisation')]
    if (seen.has(language)) return [faultAt('VALIDATION_ERROR', at, 'must not be given twice')]
    seen.add(language)
    return []
  })
}

function lengthFaults(title: readonly GivenText[], description: readonly GivenText[], extent = ''): CodedFault[] {
  const characters = [...title, ...description].reduce((sum, { text }) => sum + charactersIn(text), 0)
  if (characters <= MOST_CHARACTERS) return []
  const message = `must have at most ${MOST_CHARACTERS} characters in title and description together${extent}`
  return [faultAt('VALIDATION_ERROR', description.length > 0 ? 'description' : 'title', message)]
}

type GivenText = { language: string | undefined; text: string }

/** The readable texts of a record of any form; languages in lower case. */
function textsIn(record: unknown, property: 'title' | 'description'): GivenText[] {
  const texts = asRecord(record)?.[property]
  if (!Array.isArray(texts)) return []
  return texts.map((one: { language?: unknown; text?: unknown } | null) => ({
    language: typeof one?.language === 'string' ? one.language.toLowerCase() : undefined,
    text: typeof one?.text === 'string' ? one.text : '',
  }))
}
