import { describe, expect, it } from 'vitest'
import { RollcallError } from '../../client/src/index.ts'
import { faultOfField } from '../../console/data/faultOfField.ts'
import { faultsByField, wordsFor } from '../../console/data/problem.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'
import { invalidDay, invalidMoment } from '../../domain/base/moments.ts'
import { damage } from '../../domain/request/bodies.ts'
import { faultMessage } from '../../domain/request/faults.ts'

/** Every keyword of the schemas, with what the service says about it. */
const keywords: [keyword: string, params: Record<string, unknown>, english: string, german: string][] = [
  ['required', {}, 'Please fill this in.', 'Bitte füllen Sie das aus.'],
  [
    'dependentRequired',
    { property: 'role_id' },
    'This goes only together with “Role”.',
    'Das geht nur zusammen mit „Rolle“.',
  ],
  [
    'enum',
    { allowedValues: ['USER', 'ADMIN'] },
    'Only these are possible: User, Administrator.',
    'Möglich ist nur: Normal, Verwaltung.',
  ],
  ['pattern', {}, 'This is not in the form that is needed here.', 'Das hat nicht die Form, die hier nötig ist.'],
  ['not', {}, 'This word is reserved. Choose another one.', 'Dieses Wort ist reserviert. Wählen Sie ein anderes.'],
  [
    'format',
    { format: 'date' },
    'This is not in the form that is needed here.',
    'Das hat nicht die Form, die hier nötig ist.',
  ],
  [
    'format',
    { format: 'visible' },
    'At least one character must be visible.',
    'Mindestens ein Zeichen muss sichtbar sein.',
  ],
  ['format', { format: 'idn-email' }, en.problems.notAnEmail, de.problems.notAnEmail],
  ['type', { type: 'integer' }, 'Please give a whole number.', 'Bitte geben Sie eine ganze Zahl an.'],
  [
    'type',
    { type: 'string,null' },
    'This is not in the form that is needed here.',
    'Das hat nicht die Form, die hier nötig ist.',
  ],
  ['minLength', { limit: 1 }, 'This is too short: at least 1 character.', 'Das ist zu kurz: mindestens 1 Zeichen.'],
  [
    'maxLength',
    { limit: 1000 },
    'This is too long: at most 1,000 characters.',
    'Das ist zu lang: höchstens 1.000 Zeichen.',
  ],
  ['minItems', { limit: 1 }, 'At least 1 is needed.', 'Mindestens 1 ist nötig.'],
  ['maxItems', { limit: 50 }, 'There can be at most 50.', 'Es können höchstens 50 sein.'],
  ['minProperties', { limit: 2 }, 'At least 2 are needed.', 'Mindestens 2 sind nötig.'],
  ['maxProperties', { limit: 50 }, 'There can be at most 50.', 'Es können höchstens 50 sein.'],
  ['minimum', { limit: 5 }, 'At least 5.', 'Mindestens 5.'],
  ['maximum', { limit: 1440 }, 'At most 1,440.', 'Höchstens 1.440.'],
  ['uniqueItems', {}, 'The same is here twice.', 'Dasselbe steht hier zweimal.'],
  ['other', {}, 'This is not in the form that is needed here.', 'Das hat nicht die Form, die hier nötig ist.'],
]

describe('what is wrong with a value, in the language of the reader', () => {
  it.each(keywords)('%s %j', (keyword, params, english, german) => {
    const message = faultMessage({ keyword, params })
    expect(faultOfField(message, en)).toBe(english)
    expect(faultOfField(message, de)).toBe(german)
  })

  it.each([
    ['must be given with kind UNDO', de.problems.required],
    [damage, 'Einige Zeichen lassen sich nicht lesen.'],
    [invalidDay, de.problems.notADate],
    [invalidMoment, de.problems.notADate],
    ['must not be given twice', 'Dasselbe steht hier zweimal.'],
    ['must be at most 2 years from now', 'Höchstens 2 Jahre ab heute.'],
    ['must be a host, without an @', 'Geben Sie nur die Domain an, etwa example.com, ohne @.'],
    ['must have READ together with WEBHOOKS', `Das braucht noch ein Recht: ${de.connections.scopes.READ}.`],
    [
      'must have at most 1000 characters in title and description together',
      'Das ist zu lang: höchstens 1.000 Zeichen.',
    ],
  ])('%s', (message, german) => expect(faultOfField(message, de)).toBe(german))

  it('a sentence for programs has no words here', () => {
    expect(faultOfField('must be a known property', de)).toBeUndefined()
    expect(faultOfField('must be a cursor of this list', de)).toBeUndefined()
  })
})

describe('the faults of a request', () => {
  const refused = (errors: { property: string; message: string }[], error_code = 'VALIDATION_ERROR') =>
    new RollcallError('refused', { status: 400, error_code, errors, done: false } as never)

  it('each belongs to its field, without a word of English', () => {
    const problem = refused([
      { property: 'title.0.text', message: 'must have at most 120 characters' },
      { property: 'title.1.text', message: 'must be given' },
      { property: 'tags', message: 'must be the moon' },
    ])
    expect([...faultsByField(problem, ['title', 'tags'], de)]).toEqual([
      ['title', 'Das ist zu lang: höchstens 120 Zeichen.'],
      ['tags', 'Das wird nicht angenommen. Unter „Einzelheiten für den Support“ steht der Grund, auf Englisch.'],
    ])
  })

  it('without a field of its name it is said with the problem', () => {
    const problem = refused([
      { property: 'username', message: 'must have at most 255 characters' },
      { property: 'page_cursor', message: 'must be a cursor of this list' },
    ])
    expect(wordsFor(problem, en)).toBe(
      `${en.errors.VALIDATION_ERROR} Username: This is too long: at most 255 characters.`,
    )
  })

  it('another code says it by itself', () => {
    const problem = refused(
      [{ property: 'languages.0', message: 'must be one of the languages' }],
      'LANGUAGE_NOT_ENABLED',
    )
    expect([...faultsByField(problem, ['languages'], en)]).toEqual([['languages', en.errors.LANGUAGE_NOT_ENABLED]])
  })
})
