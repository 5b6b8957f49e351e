import * as contracts from '../attributes.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { givenTexts, localizedFields } from './shared.ts'

const types =
  'The values of a `DATE` are real dates, `YYYY-MM-DD`; those of `TEXT` and `PHONE_NUMBER` any text up to 255 characters.'
const permission =
  'What users may do with their own value: see it (`VIEW`), also change it (`EDIT`), or neither (`HIDDEN`). Of `department`, `location` and `job_title` it also says whether other users see the value. Users read, but do not change values here: `EDIT` is stored for other applications.'

const sharedFields = {
  id: ['The id of the definition, which is its technical name.', 'cost_center'],
  technical_name: ['The name of the attribute in the `attributes` of users. It never changes.', 'cost_center'],
  attribute_type: [`The type of the values. ${types}`, 'TEXT'],
  user_permission: [permission, 'HIDDEN'],
  predefined: [
    'Whether every organisation has this definition: `department`, `location` and `job_title` are predefined.',
    false,
  ],
} as const

const definitionFields = fieldsOf(contracts.attributeDefinition)({
  ...sharedFields,
  title: ['The title in all its languages.', localizedFields],
})

const definitionPath = (example: string) =>
  ({ definition_id: ['The id of the definition, which is its technical name.', example] }) as const

const input = {
  title: [
    'The title in 1 to 100 languages: each is one line, with at least one visible character.',
    givenTexts(255, 'title'),
  ],
  user_permission: [`${permission} Null for the default, \`VIEW\`.`, 'EDIT'],
} as const

export const attributes = describe(contracts, {
  listAttributeDefinitions: {
    text: prose(`
      Lists all attribute definitions by technical name, each with the title that fits the caller best. There are
      50 at most, so there are no pages. On AWS a change may show here a moment later; reading a definition by its id
      always shows it.`),
    answers: { 200: 'All attribute definitions.' },
    answer: {
      attribute_definitions: [
        'All definitions, ordered by technical name.',
        {
          definition: [
            'The definition.',
            { ...sharedFields, title: ['The title, in the language that fits the caller best.', localizedFields] },
          ],
        },
      ],
    },
  },

  createAttributeDefinition: {
    text: prose(`
      Creates an attribute definition. From now on users can have values of it in their \`attributes\`.

      **Repeating it** is refused with 409 \`DUPLICATE_TECHNICAL_NAME\`: nothing is created twice.

      **Limits:** 50 definitions, including the predefined ones; above that the answer is 409
      \`ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED\`.`),
    body: {
      ...input,
      technical_name: [
        'The name of the attribute in the `attributes` of users, and the id of the definition: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. Case-sensitive.',
        'certified_until',
      ],
      attribute_type: [`The type of the values. ${types}`, 'DATE'],
    },
    answers: { 201: 'The attribute definition was created.' },
    answer: definitionFields,
    examples: [
      {
        title: 'Define an attribute',
        status: 201,
        body: {
          technical_name: 'certified_until',
          title: [
            { language: 'en-GB', text: 'Certified until' },
            { language: 'de-DE', text: 'Gültig bis' },
          ],
          attribute_type: 'DATE',
          user_permission: 'EDIT',
        },
      },
      {
        title: 'As little as it takes',
        status: 201,
        body: {
          technical_name: 'shoe_size',
          title: [{ language: 'en-GB', text: 'Shoe size' }],
          attribute_type: 'TEXT',
        },
      },
    ],
  },

  getAttributeDefinition: {
    text: prose(`
      Reads one attribute definition with its title in all languages.`),
    path: definitionPath('date_of_joining'),
    answers: { 200: 'The attribute definition.' },
    answer: definitionFields,
  },

  updateAttributeDefinition: {
    text: prose(`
      Changes an attribute definition by a merge patch (RFC 7396): fields that you leave out stay. \`title\` is replaced
      as a whole. You can send the definition back as you read it: \`id\` and \`predefined\` are ignored.

      **Allowed** for every definition, including the predefined ones. The type can change only while no user has a
      value and no rule uses the attribute; otherwise the answer is 409 \`ATTRIBUTE_DEFINITION_IN_USE\`. Users pending
      deletion still have their values.

      **What else changes:** nothing; users keep their values.

      **Repeating it** is safe: the second call changes nothing.`),
    path: definitionPath('cost_center'),
    body: {
      ...input,
      attribute_type: [`The type of the values. ${types}`, 'TEXT'],
      technical_name: ['The current technical name: another one is refused.', 'cost_center'],
      id: ['Ignored.', 'cost_center'],
      predefined: ['Ignored.', false],
    },
    answers: { 200: 'The definition after the change; unchanged if there was nothing to change.' },
    answer: definitionFields,
    examples: [
      {
        title: 'Change the title',
        status: 200,
        body: {
          title: [
            { language: 'en-GB', text: 'Cost centre (SAP)' },
            { language: 'de-DE', text: 'Kostenstelle (SAP)' },
          ],
        },
      },
      { title: 'Back to the default', status: 200, body: { user_permission: null } },
    ],
  },

  deleteAttributeDefinition: {
    text: prose(`
      Deletes an attribute definition for good.

      **Allowed** while no user has a value of it and no rule uses it. Otherwise the answer is 409
      \`ATTRIBUTE_DEFINITION_IN_USE\`. Users pending deletion still have their values. Predefined definitions cannot be
      deleted: the answer is always 409.

      **What else changes:** nothing. The definition no longer counts among the 50, and its technical name can be
      used again, also with another type.

      **Repeating it** answers 404 \`ATTRIBUTE_DEFINITION_NOT_FOUND\`.`),
    path: definitionPath('locker'),
    answers: { 204: 'The attribute definition was deleted.' },
  },
})
