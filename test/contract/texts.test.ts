import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { type ImportFault, ImportRefused } from '../../domain/import/importErrors.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'
import { contextOf } from '../import/directory.ts'

// Titles and descriptions keep to one set of rules, whatever record they are of and whichever way they come in.

let service: Service
let writes: () => number
beforeAll(async () => {
  // The last attribute definitions would find no place.
  service = await startService({ indexes: 'none' })
  writes = countWrites(service)
  await speak('en-GB', 'de-DE')
})

const speak = async (...languages: string[]) =>
  expect((await call('updateOrganisationSettings', { body: { languages } })).status).toBe(200)
const en = (text: string) => ({ language: 'en-GB', text })
const de = (text: string) => ({ language: 'de-DE', text })

type Kind = {
  name: string
  path: string
  section: string
  id: string
  /** What else a creation and a record of an import file need. */
  body: object
  record: object
  /** Whether the API, and whether a file, gives it descriptions. */
  described: [boolean, boolean]
}
const kinds: Kind[] = [
  {
    name: 'Role',
    path: 'role_id',
    section: 'roles',
    id: 'id',
    body: { scope: 'CHANNELS' },
    record: { scope: 'CHANNELS', type: 'CUSTOM', permissions: [] },
    described: [true, true],
  },
  {
    name: 'Group',
    path: 'group_id',
    section: 'user_groups',
    id: 'id',
    body: { parent_id: 'root' },
    record: { type: 'CUSTOM' },
    described: [true, true],
  },
  {
    name: 'Channel',
    path: 'channel_id',
    section: 'channels',
    id: 'id',
    body: {},
    record: { default_role_id: 'channel-member' },
    described: [true, false],
  },
  {
    name: 'AttributeDefinition',
    path: 'definition_id',
    section: 'attribute_definitions',
    id: 'technical_name',
    body: { attribute_type: 'TEXT' },
    record: { attribute_type: 'TEXT' },
    described: [false, false],
  },
]

let serial = 0
const newId = () => `one-${++serial}`
const create = ({ name, id, body }: Kind, key: string, texts: object) =>
  call(`create${name}`, { body: { [id]: key, ...body, ...texts } })
const read = ({ name, path }: Kind, key: string) => call(`get${name}`, { path: { [path]: key } })
const patch = ({ name, path }: Kind, key: string, body: object) =>
  call(`update${name}`, { path: { [path]: key }, body })
const bringIn = ({ section, id, record }: Kind, key: string, texts: object) =>
  importDirectory(contextOf(service), { [section]: [{ [id]: key, ...record, ...texts }] }) as Promise<Any>
const faultsOf = async (importing: Promise<unknown>): Promise<string[]> => {
  const error = await importing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ImportRefused)
  return ((error as ImportRefused).faults as ImportFault[]).map(({ property }) => property)
}
const coded = ({ status, body }: Reply) => [status, body?.error_code, body?.property]

/** Each way in which texts come: what became of them, or the properties at fault. */
const ways: [string, (kind: Kind, texts: object) => Promise<Any>, 0 | 1][] = [
  ['a creation', async (kind, texts) => outcome(await create(kind, newId(), texts)), 0],
  [
    'a patch',
    async (kind, texts) => {
      const key = newId()
      await create(kind, key, { title: [en('Before')] })
      return outcome(await patch(kind, key, texts))
    },
    0,
  ],
  [
    'an import',
    async (kind, texts) => {
      const key = newId()
      const importing = bringIn(kind, key, texts)
      const isSound = await importing.then(
        () => true,
        () => false,
      )
      return isSound ? outcome(await read(kind, key)) : { faults: await faultsOf(importing) }
    },
    1,
  ],
]
const outcome = ({ status, body }: Reply): Any =>
  status < 300 ? body : { faults: body.errors.map(({ property }: Any) => property) }

describe.each(ways)('by %s', (_name, by, way) => {
  beforeAll(() => speak('en-GB', 'de-DE'))
  describe.each(kinds)('of a $name', (kind) => {
    it.each([
      '',
      ' ',
      '\u2003\u00a0\ufeff',
      '\n',
      'Two\nlines',
      'Two\r\nlines',
      'A\ttab',
      'A bell\u0007',
      '\u0000',
      'C1 \u0085 too',
      'half \ud83d pair',
      'x'.repeat(kind.name === 'Role' ? 121 : 256),
    ])('a title is not %j', async (text) => {
      expect(await by(kind, { title: [de('Gut'), en(text)] })).toEqual({ faults: ['title.1.text'] })
    })

    it('a title loses the white space around it, and no more', async () => {
      const longest = kind.name === 'Role' ? 120 : 255
      const title = [en('\n  Two  words\u3000 '), de(`   ${'x'.repeat(longest)}\t`)]
      const { title: kept } = await by(kind, { title })
      expect(kept).toEqual([en('Two  words'), de('x'.repeat(longest))])
    })

    if (!kind.described[way]) return
    it.each(['', ' \n\t ', 'A bell\u0007', '\u0000', 'C1 \u0085 too', 'Vertical \u000b tab', 'half \udc00 pair'])(
      'a description is not %j',
      async (text) => {
        const faults = await by(kind, { title: [en('Good')], description: [en(text)] })
        expect(faults).toEqual({ faults: ['description.0.text'] })
      },
    )

    it('a description keeps its lines', async () => {
      const { description } = await by(kind, { title: [en('Good')], description: [en('\n One\r\n\n\tTwo \n')] })
      expect(description).toEqual([en('One\r\n\n\tTwo')])
    })
  })
})

it('the title of a task in a file loses the white space around it, as by the API', async () => {
  const tasks = [{ id: 'drill', author_id: 'plain', title: ' \n Fire drill ', body: {} }]
  await importDirectory(contextOf(service), { tasks, task_assignments: [{ task_id: 'drill', user_id: 'plain' }] })
  expect((await call('getTask', { path: { task_id: 'drill' }, as: 'plain' })).body.title).toBe('Fire drill')
  expect(await faultsOf(importDirectory(contextOf(service), { tasks: [{ ...tasks[0], title: ' ' }] }))).toEqual([
    'title',
  ])
})

it('texts that are no texts are refused as before', async () => {
  for (const title of [
    [null],
    ['x'],
    [{ language: 'en-GB' }],
    [{ language: 'en-GB', text: 7 }],
    [[{ text: ' x ' }]],
    'x',
  ])
    expect(coded(await call('createRole', { body: { title, scope: 'CHANNELS' } })).slice(0, 2)).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
})

describe.each(kinds)('of a $name in a language that has been dropped', (kind) => {
  const key = 'kept'
  const isDescribed = kind.described[0]
  const texts = {
    title: [en('Good'), de(' Gut ')],
    ...(isDescribed ? { description: [de('Zeile\nZeile')] } : {}),
  }
  const file = () => bringIn(kind, key, kind.described[1] ? texts : { title: texts.title })
  beforeAll(async () => {
    await speak('en-GB', 'de-DE')
    for (const one of [key, 'lost']) expect((await create(kind, one, texts)).status).toBe(201)
    await file()
    await speak('en-GB')
  })

  it('the record as it was read can be sent back', async () => {
    const { body: before } = await read(kind, key)
    const count = writes()
    expect((await patch(kind, key, before)).body).toEqual(before)
    expect(writes(), 'nothing has changed').toBe(count)
    const title = [{ language: 'DE-de', text: ' Gut' }, en('Better')]
    expect((await patch(kind, key, { ...before, title })).body).toEqual({
      ...before,
      title: [{ language: 'DE-de', text: 'Gut' }, en('Better')],
      ...('updated_at' in before ? { updated_at: expect.any(String) } : {}),
    })
    expect((await patch(kind, key, { title: before.title })).status).toBe(200)
  })

  it.each([
    ['another text', { title: [en('Good'), de('Besser')] }, 'title.1.language'],
    ['a text of another language', { title: [en('Good'), de('Good')] }, 'title.1.language'],
    ['a new language', { title: [en('Good'), de('Gut'), { language: 'fr-FR', text: 'Gut' }] }, 'title.2.language'],
    ...(isDescribed
      ? [
          ['the title as description', { description: [de('Gut')] }, 'description.0.language'],
          ['a changed description', { description: [de('Zeile')] }, 'description.0.language'],
        ]
      : []),
  ] as [string, Any, string][])('but not with %s', async (_name, body, property) => {
    expect(coded(await patch(kind, key, body))).toEqual([400, 'LANGUAGE_NOT_ENABLED', property])
    if (kind.described[1] || !body.description) {
      const importing = bringIn(kind, key, { title: [en('Good')], ...body })
      expect(await faultsOf(importing)).toEqual([property])
    }
  })

  it('nor as a new record', async () => {
    const fresh = newId()
    expect(coded(await create(kind, fresh, texts))).toEqual([400, 'LANGUAGE_NOT_ENABLED', 'title.1.language'])
    expect(coded(await patch(kind, fresh, texts))).toEqual([400, 'LANGUAGE_NOT_ENABLED', 'title.1.language'])
    expect(await faultsOf(bringIn(kind, fresh, { title: texts.title }))).toEqual(['title.1.language'])
  })

  it('nor twice', async () => {
    const twice = { title: [de('Gut'), de('Gut')] }
    expect(coded(await patch(kind, key, twice))).toEqual([400, 'VALIDATION_ERROR', 'title.1.language'])
  })

  it('and other faults stand alone', async () => {
    const { body: before } = await read(kind, key)
    const { body } = await patch(kind, key, { ...before, colour: 'red' })
    expect(body.errors).toEqual([{ property: 'colour', message: 'must be a known property' }])
    const both = await patch(kind, key, { title: [de('Schlecht')], colour: 'red' })
    expect(both.body.errors.map(({ property }: Any) => property)).toEqual(['colour', 'title.0.language'])
    const nowhere = await patch(kind, 'x'.repeat(70_000), { title: before.title })
    expect(nowhere.status).toBe(400)
  })

  it('the same file can be imported again and changes nothing', async () => {
    const count = writes()
    expect((await file())[kind.section]).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
    expect(writes() - count).toBe(0)
  })

  it('once it is gone it does not come back', async () => {
    expect((await patch(kind, 'lost', { title: [en('Good')] })).status).toBe(200)
    expect(coded(await patch(kind, 'lost', texts))).toEqual([400, 'LANGUAGE_NOT_ENABLED', 'title.1.language'])
    expect(await faultsOf(bringIn(kind, 'lost', { title: texts.title }))).toEqual(['title.1.language'])
  })
})

it('and leave the table whole', () => audit(service))
