import * as contracts from '../organisation.ts'
import { describe, fieldsOf, prose } from './describe.ts'

const tasks =
  'Whether people can work on tasks. While it is off, every operation on tasks and their assignments answers 403 `FEATURE_DISABLED`; nothing is deleted.'
const deactivation =
  'Whether users can be deactivated. While it is off, *Deactivate a user* answers 403 `FEATURE_NOT_ENABLED`; reactivating still works.'

const directory =
  'Whether users find and read each other. While it is off, *List and search people* and *Read a person* answer 403 `FEATURE_DISABLED`; `embed=AUTHOR` of tasks still says who asked. Settings that were stored before this feature have it on.'

export const settingsFields = fieldsOf(contracts.organisationSettings)({
  default_language: [
    'The language of titles and descriptions if none fits the caller: a BCP 47 tag, one of `languages`.',
    'en-GB',
  ],
  languages: ['The languages in which titles and descriptions can be written, as BCP 47 tags.', ['en-GB', 'de-DE']],
  features: [
    'What is switched on.',
    { tasks: [tasks, true], user_deactivation: [deactivation, true], people_directory: [directory, true] },
  ],
})

const patchFields = fieldsOf(contracts.organisationPatch)({
  default_language: [
    'The language of titles and descriptions if none fits the caller. After the change it must be one of `languages`, in any letter case.',
    'de-DE',
  ],
  languages: [
    'The whole list of languages, 1 to 50 BCP 47 tags, each once, ignoring case. The default language must be among them.',
    ['en-GB', 'de-DE', 'fr-FR', 'pl-PL'],
  ],
  features: [
    'What to switch on or off. Features that you leave out stay.',
    { tasks: [tasks, true], user_deactivation: [deactivation, true], people_directory: [directory, true] },
  ],
})

export const organisation = describe(contracts, {
  getOrganisationSettings: {
    text: prose(`
      Reads the settings of the organisation: its languages, and which features are on. Until they are set or
      imported, the only language is \`en-GB\`, and all features are on.`),
    answers: { 200: 'The settings as they are now.' },
    answer: settingsFields,
  },

  updateOrganisationSettings: {
    text: prose(`
      Changes the settings of the organisation by a merge patch (RFC 7396): fields that you leave out stay. \`features\`
      are merged one by one, \`languages\` are replaced as a whole. None of the settings can be cleared, so null is
      refused.

      **What else changes:** texts in a language that is removed are kept, and shown only
      if there is no other. They can be sent back unchanged with their record, but not changed or added
      (400 \`LANGUAGE_NOT_ENABLED\`). Switching a feature off deletes nothing: all data is back when it is on again.

      **Repeating it** is safe: the second call changes nothing. Two changes of different settings at the same time are both applied.

      **Limits:** 1 to 50 languages, with the default language among them; otherwise the answer is 400
      \`LANGUAGE_NOT_ENABLED\`.`),
    body: patchFields,
    answers: { 200: 'The settings after the change; unchanged if there was nothing to change.' },
    answer: settingsFields,
    examples: [
      { title: 'Add a language', status: 200, body: { languages: ['en-GB', 'de-DE', 'fr-FR', 'pl-PL'] } },
      { title: 'Switch a feature on', status: 200, body: { features: { user_deactivation: true } } },
    ],
  },
})
