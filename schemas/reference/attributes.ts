import * as contracts from '../attributes.ts'
import { fieldsOf, prose, reference } from './describe.ts'
import { givenTexts, localizedFields } from './shared.ts'

const types =
  'The values of a `DATE` are real dates, `YYYY-MM-DD`; those of `TEXT` and `PHONE_NUMBER` any text up to 255 characters.'
const permission =
  'What users may do with their own value: see it (`VIEW`), change it, too (`EDIT`), or neither (`HIDDEN`). It is kept and shown for applications that let people see their own data; Rollcall itself shows and changes values for administrators only.'

const facts = {
  id: ['The id of the definition, which is its technical name.', 'cost_center'],
  technical_name: ['What the `attributes` of users refer to the definition by. It never changes.', 'cost_center'],
  attribute_type: [`What the values are. ${types}`, 'TEXT'],
  user_permission: [permission, 'HIDDEN'],
  predefined: [
    'Whether every organisation has this definition: `department`, `location` and `job_title` are predefined.',
    false,
  ],
} as const

const definitionFields = fieldsOf(contracts.attributeDefinition)({
  ...facts,
  title: ['The title in all its languages.', localizedFields],
})

const definitionPath = (example: string) =>
  ({ definition_id: ['The id of the definition, which is its technical name.', example] }) as const

const given = {
  title: [
    'The title in 1 to 100 languages: each is one line, at least one character of it visible.',
    givenTexts(255, 'title'),
  ],
  user_permission: [`${permission} Null for the default, \`VIEW\`.`, 'EDIT'],
} as const

export const attributes = reference(contracts, {
  listAttributeDefinitions: {
    text: prose(`
      Lists all attribute definitions by their technical names, each with the title that fits the caller best. There are
      50 at most, so there are no pages. On AWS a change may take a moment to show here; reading a definition by its id
      always shows it.`),
    answers: { 200: 'All attribute definitions.' },
    answer: {
      attribute_definitions: [
        'All definitions, ordered by technical name.',
        {
          definition: [
            'The definition.',
            { ...facts, title: ['The title, in the language that fits the caller best.', localizedFields] },
          ],
        },
      ],
    },
  },

  createAttributeDefinition: {
    text: prose(`
      Defines an attribute. From now on users can be given values of it, in their \`attributes\`.

      **Repeating it** is refused with 409 \`DUPLICATE_TECHNICAL_NAME\`: nothing is created twice.

      **Limits:** 50 definitions, the predefined ones included; then the answer is 409
      \`ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED\`.`),
    body: {
      ...given,
      technical_name: [
        'The name by which the `attributes` of users refer to the definition, and its id: letters, digits, dots, underscores and hyphens, 1 to 64 of them, a letter or digit first. Letter case counts.',
        'certified_until',
      ],
      attribute_type: [`What the values are. ${types}`, 'DATE'],
    },
    answers: { 201: 'The attribute was defined.' },
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
      Reads one attribute definition with its title in all languages, as the last change left it.`),
    path: definitionPath('date_of_joining'),
    answers: { 200: 'The attribute definition.' },
    answer: definitionFields,
  },

  updateAttributeDefinition: {
    text: prose(`
      Changes an attribute definition by a merge patch (RFC 7396): fields that you leave out stay. \`title\` is replaced
      as a whole. The definition can be sent back as it was read: \`id\` and \`predefined\` are ignored.

      **Allowed** for every definition, the predefined ones included. The type can change only while no user has a
      value; otherwise the answer is 409 \`ATTRIBUTE_DEFINITION_IN_USE\`. Users pending deletion still have their
      values.

      **What else changes:** nothing; the values that users have stay as they are.

      **Repeating it** is safe: the second time changes nothing.`),
    path: definitionPath('cost_center'),
    body: {
      ...given,
      attribute_type: [`What the values are. ${types}`, 'TEXT'],
      technical_name: ['The technical name as it is: another one is refused.', 'cost_center'],
      id: ['Ignored.', 'cost_center'],
      predefined: ['Ignored.', false],
    },
    answers: { 200: 'The definition after the change, or unchanged if there was nothing to change.' },
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

      **Allowed** while no user has a value of it. Otherwise the answer is 409 \`ATTRIBUTE_DEFINITION_IN_USE\`. Users
      pending deletion still have their values. Predefined definitions are never deleted: the answer is always 409.

      **What else changes:** nothing. Its place among the 50 is free, and its technical name can be
      defined again, also with another type.

      **Repeating it** answers 404 \`ATTRIBUTE_DEFINITION_NOT_FOUND\`.`),
    path: definitionPath('locker'),
    answers: { 204: 'The attribute definition was deleted.' },
  },
})
