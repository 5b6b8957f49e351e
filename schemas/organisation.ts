import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'

/** What an organisation can switch on and off. */
export const features = {
  tasks: { type: 'boolean' },
  user_deactivation: { type: 'boolean' },
  people_directory: { type: 'boolean' },
} as const
const languages = { type: 'array', minItems: 1, maxItems: 50, items: atom.language } as const

/** The settings of the organisation. */
export const organisationSettings = object(
  {
    default_language: atom.language,
    languages: { type: 'array', items: atom.language },
    features: object(features, ['tasks', 'user_deactivation', 'people_directory']),
  },
  ['default_language', 'languages', 'features'],
)

/** A merge patch of the organisation's settings: absent fields stay. No field can be cleared. */
export const organisationPatch = object(
  {
    default_language: atom.language,
    languages,
    features: object(features, []),
  },
  [],
)

const tag = 'Organisation'

export const getOrganisationSettings = contract({
  name: 'getOrganisationSettings',
  title: 'Read the settings of the organisation',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  versioned: true,
  answers: { 200: organisationSettings },
  errors: [],
})

export const updateOrganisationSettings = contract({
  name: 'updateOrganisationSettings',
  title: 'Change the settings of the organisation',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  body: organisationPatch,
  mergePatch: true,
  versioned: true,
  conditional: true,
  answers: { 200: organisationSettings },
  errors: ['LANGUAGE_NOT_ENABLED'],
})
