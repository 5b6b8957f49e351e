import { describe, expect, it } from 'vitest'
import {
  newOrganisation,
  type Organisation,
  organisationFields,
  organisations,
  readOrganisation,
} from '../../domain/people/records/organisation.ts'
import {
  normalizedOrganisation,
  organisationFaults,
  patchedOrganisation,
} from '../../domain/people/records/organisationRules.ts'
import { itemOf, replaceRecord } from '../../domain/table/changes.ts'
import { organisationKey } from '../../domain/table/keys.ts'
import type { Item, Store } from '../../domain/table/store.ts'

const before: Organisation = {
  default_language: 'en-GB',
  languages: ['en-GB', 'de-DE'],
  features: { tasks: false, user_deactivation: true, people_directory: true },
  predefined: { ROOT: 'root' },
}
const faults = (parts: object) =>
  organisationFaults({ ...before, ...parts } as Organisation).map(
    ({ code, fault: { property, message } }) => `${code} ${property} ${message}`,
  )
const noLanguage = 'LANGUAGE_NOT_ENABLED default_language must be one of the languages'

describe('the organisation', () => {
  it('has English, all features and no predefined records until it is changed', async () => {
    const first = {
      default_language: 'en-GB',
      languages: ['en-GB'],
      features: { tasks: true, user_deactivation: true, people_directory: true },
      predefined: {},
    }
    const reading = (found: Item | undefined) => readOrganisation({ get: async () => found } as unknown as Store)
    expect(await reading(undefined)).toEqual(first)
    expect(await reading(itemOf(organisations, before))).toMatchObject(before)
  })

  it('is one record, whose events show no more than its settings', () => {
    const { event, ...write } = replaceRecord(organisations, undefined, {
      ...before,
      features: newOrganisation.features,
    })
    expect(write).toMatchObject({ put: { ...organisationKey, data: { predefined: before.predefined } } })
    expect(event).toMatchObject({
      type: 'organisation_settings.updated',
      record: { kind: 'organisation_settings', id: 'settings' },
      changes: [['languages', ['en-GB'], ['en-GB', 'de-DE']]],
    })
  })

  it('shows its settings', () => {
    const { predefined: _, ...settings } = before
    expect(organisationFields.shown(before)).toEqual(settings)
  })

  it('stores a later feature only while it is off, so that older settings have it on', () => {
    const stored = (people_directory: boolean) =>
      itemOf(organisations, normalizedOrganisation(patchedOrganisation(before, { features: { people_directory } })))
        .data as Organisation
    const { people_directory: _later, ...features } = before.features
    expect(stored(true)).toEqual({ ...before, features })
    expect(stored(false)).toEqual({ ...before, features: { ...features, people_directory: false } })
    for (const isOn of [true, false])
      expect(organisations.of({ ...organisationKey, data: stored(isOn) })?.features.people_directory).toBe(isOn)
    expect(organisationFields.own(organisations.of({ ...organisationKey, data: stored(true) }) ?? before)).toEqual({
      default_language: 'en-GB',
      languages: ['en-GB', 'de-DE'],
      features,
    })
  })

  it.each<[object, object]>([
    [{}, {}],
    [{ predefined: {}, id: 'x' }, {}],
    [{ default_language: 'de-DE' }, { default_language: 'de-DE' }],
    [{ languages: ['en-GB'] }, { languages: ['en-GB'] }],
    [{ features: { tasks: true } }, { features: { tasks: true, user_deactivation: true, people_directory: true } }],
    [
      { features: { user_deactivation: false } },
      { features: { tasks: false, user_deactivation: false, people_directory: true } },
    ],
    [{ features: { other: true } }, {}],
    [{ features: null }, { features: newOrganisation.features }],
  ])('after %j', (patch, changed) => {
    expect(normalizedOrganisation(patchedOrganisation(before, patch))).toEqual({ ...before, ...changed })
  })

  it.each<[object, string[]]>([
    [{}, []],
    [{ default_language: 'DE-de' }, []],
    [{ default_language: 'fr-FR' }, [noLanguage]],
    [{ default_language: 5 }, []],
    [{ languages: ['en-GB', 'de-DE', 'EN-gb'] }, ['VALIDATION_ERROR languages.2 must not be given twice']],
    [{ languages: ['de-DE', 'DE-DE'] }, [noLanguage, 'VALIDATION_ERROR languages.1 must not be given twice']],
    // More than fifty are refused for their number. Comparing all of them would take a minute.
    [{ languages: [...Array.from({ length: 50 }, (_, n) => `en-${n}`), 'en-0'] }, [noLanguage]],
    [{ languages: [] }, []],
    [{ languages: 'en' }, []],
    [{ languages: null }, []],
    [{ languages: ['de-DE', 5] }, []],
  ])('with %j: %j', (parts, expected) => {
    expect(faults(parts)).toEqual(expected)
  })

  it('spells its default language as in its languages', () => {
    const spelled = (default_language: string) =>
      normalizedOrganisation({ ...before, default_language }).default_language
    expect(['EN-gb', 'de-de', 'fr-FR'].map(spelled)).toEqual(['en-GB', 'de-DE', 'fr-FR'])
    expect(normalizedOrganisation(before)).toEqual(before)
  })
})
