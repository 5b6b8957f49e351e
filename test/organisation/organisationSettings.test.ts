import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { newOrganisation, organisationFields } from '../../domain/people/records/organisation.ts'
import { organisationKey } from '../../domain/table/keys.ts'
import { type Any, call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

let service: Service
beforeEach(async () => {
  service = await startService({ indexes: ['by_created_at'] })
})

const features = { tasks: true, user_deactivation: true, people_directory: true }
const seeded = { default_language: 'en-GB', languages: ['en-GB', 'de-DE'], features }
const get = async (): Promise<Any> => (await call('getOrganisationSettings')).body
const patch = (body: unknown) => call('updateOrganisationSettings', { body })
const stored = async (): Promise<Any> => ((await service.store.get(organisationKey)) as Any)?.data

describe('the settings of the organisation', () => {
  it('are read and changed, and what is predefined stays', async () => {
    expect(await get()).toEqual(seeded)
    const { predefined } = await stored()
    const changed = { default_language: 'pl', languages: ['de-DE', 'pl'], features: { ...features, tasks: false } }
    expect(await patch(changed)).toMatchObject({ status: 200, body: changed })
    expect(await get()).toEqual(changed)
    const { people_directory: _on, ...storedFeatures } = changed.features
    expect(await stored()).toEqual({ ...changed, features: storedFeatures, predefined })
  })

  it.each<[string, object, object]>([
    ['one feature', { features: { tasks: false } }, { features: { ...features, tasks: false } }],
    ['the default language', { default_language: 'de-DE' }, { default_language: 'de-DE' }],
    ['another case', { default_language: 'DE-de' }, { default_language: 'de-DE' }],
    ['the case of all', { languages: ['EN-gb'] }, { default_language: 'EN-gb', languages: ['EN-gb'] }],
    ['languages', { languages: ['en-GB', 'fr'] }, { languages: ['en-GB', 'fr'] }],
    ['nothing', {}, {}],
    ['no feature', { features: {} }, {}],
  ])('a patch of %s changes nothing else', async (_what, body, changed) => {
    expect(await patch(body)).toMatchObject({ status: 200 })
    expect(await get()).toEqual({ ...seeded, ...changed })
  })

  it.each<[property: string, body: object]>([
    ['default_language', { default_language: null }],
    ['languages', { languages: null }],
    ['features', { features: null }],
    ['features.tasks', { features: { tasks: null } }],
    ['features.user_deactivation', { features: { user_deactivation: null, tasks: false } }],
    ['default_language', { default_language: null, languages: ['de-DE', 'fr'] }],
    ['languages', { languages: null, default_language: 'fr', features: {} }],
  ])('cannot be cleared: null for %s in %j', async (property, body) => {
    const off = { ...features, tasks: false, user_deactivation: false }
    const changed = { default_language: 'de-DE', languages: ['de-DE', 'pl'], features: off }
    expect(await patch(changed)).toMatchObject({ status: 200 })
    const answer = await patch(body)
    expect(answer.body).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', property })
    expect(answer.body.errors).toHaveLength(1)
    expect(await get()).toEqual(changed)
  })

  it('are not written where nothing changes', async () => {
    const writes = countWrites(service)
    for (const body of [{}, seeded, { default_language: 'EN-gb' }, { features: { tasks: true } }])
      expect(await patch(body)).toMatchObject({ status: 200, body: seeded })
    expect(writes()).toBe(0)
  })

  it.each<[string, string, unknown]>([
    ['VALIDATION_ERROR', 'languages.0', { languages: [1] }],
    ['LANGUAGE_NOT_ENABLED', 'default_language', { default_language: 'fr' }],
    ['LANGUAGE_NOT_ENABLED', 'default_language', { default_language: 'de' }],
    ['LANGUAGE_NOT_ENABLED', 'default_language', { languages: ['de-DE'] }],
    ['VALIDATION_ERROR', 'default_language', { languages: ['fr', 'FR'], default_language: null }],
    ['LANGUAGE_NOT_ENABLED', 'default_language', { languages: ['fr', 'FR'], features: { tasks: 1 } }],
    ['VALIDATION_ERROR', 'languages.2', { languages: ['en-GB', 'de', 'EN-gb'] }],
    ['VALIDATION_ERROR', 'languages', { languages: [] }],
    ['VALIDATION_ERROR', 'languages', { languages: ['en-GB', ...Array.from({ length: 50 }, (_, n) => `en-x-${n}`)] }],
    ['VALIDATION_ERROR', 'languages', { languages: 'en-GB' }],
    ['VALIDATION_ERROR', 'languages.1', { languages: ['en-GB', 'e'] }],
    ['VALIDATION_ERROR', 'languages.1', { languages: ['en-GB', 'en_US'] }],
    ['VALIDATION_ERROR', 'languages.1', { languages: ['en-GB', null] }],
    ['VALIDATION_ERROR', 'default_language', { default_language: 1 }],
    ['VALIDATION_ERROR', 'features', { features: true }],
    ['VALIDATION_ERROR', 'features.tasks', { features: { tasks: 'off' } }],
    ['VALIDATION_ERROR', 'features.chat', { features: { chat: true } }],
    ['VALIDATION_ERROR', 'predefined', { predefined: {} }],
    ['VALIDATION_ERROR', 'body', []],
  ])('%s on %s: %j', async (error_code, property, body) => {
    const answer = await patch(body)
    expect(answer.body).toMatchObject({ status: 400, error_code, property })
    expect(await get()).toEqual(seeded)
  })

  it('tells every fault at once', async () => {
    const { body } = await patch({ default_language: 'fr', languages: ['de', 'DE'], features: { tasks: 0 }, x: 1 })
    const named = body.errors.map((one: Any) => one.property).sort()
    expect([body.error_code, named]).toEqual([
      'LANGUAGE_NOT_ENABLED',
      ['default_language', 'features.tasks', 'languages.1', 'x'],
    ])
  })

  it('keep both of two changes at once', async () => {
    for (let round = 0; round < 5; round++) {
      const off = { ...features, tasks: round % 2 === 0, user_deactivation: round % 2 === 0 }
      const languages = ['en-GB', 'de-DE', `en-x-${round}`]
      const default_language = round % 2 === 0 ? 'de-DE' : 'en-GB'
      const patches = [
        { features: { tasks: off.tasks } },
        { features: { user_deactivation: off.user_deactivation } },
        { languages },
        { default_language },
      ]
      const answers = await Promise.all(patches.map(patch))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(await get()).toEqual({ default_language, languages, features: off })
    }
  })
})

describe('a feature', () => {
  it('counts at the very next request', async () => {
    await patch({ features: { tasks: false, user_deactivation: false } })
    const list = () => call('listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED', as: 'plain' })
    const deactivate = () => call('deactivateUser', { path: { user_id: 'plain' } })
    expect((await list()).body.error_code).toBe('FEATURE_DISABLED')
    expect((await deactivate()).body.error_code).toBe('FEATURE_NOT_ENABLED')
    await patch({ features: { tasks: true, user_deactivation: true } })
    expect([(await list()).status, (await deactivate()).status]).toEqual([200, 200])
  })
})

describe('a language taken away', () => {
  it('leaves the texts that are in it, and readers get another', async () => {
    const title = async () =>
      (await call('getUser', { path: { user_id: 'plain' }, headers: { 'accept-language': 'fr' } })).body
        .primary_user_group.title
    await patch({ default_language: 'de-DE' })
    expect(await title()).toEqual({ language: 'de-DE', text: 'Gruppe all-users' })
    await patch({ default_language: 'pl', languages: ['pl'] })
    expect(await title()).toEqual({ language: 'en-GB', text: 'Group all-users' })
  })
})

describe('before any import', () => {
  const bringIn = (directory: object) => {
    const now = service.now().toISOString()
    return importDirectory({ store: service.store, now, newId: randomUUID }, directory)
  }
  it('settings are the defaults; a patch makes them, and an import adds what is predefined', async () => {
    await service.store.bulk([{ delete: organisationKey }])
    const defaults = organisationFields.shown(newOrganisation)
    expect(await get()).toEqual(defaults)
    expect((await patch({ languages: ['en-GB', 'fr'] })).status).toBe(200)
    await bringIn({})
    expect(await get()).toEqual({ ...defaults, languages: ['en-GB', 'fr'] })
    expect(Object.keys((await stored()).predefined)).toHaveLength(6)
    await patch({ features: { tasks: false } })
    expect(Object.keys((await stored()).predefined)).toHaveLength(6)
    await bringIn({ organisation: { default_language: 'fr' } })
    expect(await get()).toEqual({
      default_language: 'fr',
      languages: ['en-GB', 'fr'],
      features: { ...features, tasks: false },
    })
  })

  it('a patch during an import is kept, or the import says so', async () => {
    await service.store.bulk([{ delete: organisationKey }])
    const [imported, patched] = await Promise.allSettled([bringIn({}), patch({ languages: ['en-GB', 'fr'] })])
    expect(patched).toMatchObject({ value: { status: 200 } })
    if (imported.status === 'rejected') expect(String(imported.reason)).toMatch('import it again')
    await bringIn({})
    expect((await get()).languages).toEqual(['en-GB', 'fr'])
  })
})
