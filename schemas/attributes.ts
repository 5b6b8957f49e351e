import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'
import { trims } from './sections.ts'

const tag = 'User attribute definitions'
const definitionPath = object({ definition_id: atom.id }, ['definition_id'])
const attribute_type = { type: 'string', enum: ['TEXT', 'PHONE_NUMBER', 'DATE'] } as const
const permissions = ['VIEW', 'EDIT', 'HIDDEN'] as const

const sharedFields = {
  id: { type: 'string' },
  technical_name: { type: 'string' },
  attribute_type,
  user_permission: {
    type: 'string',
    enum: permissions,
  },
  predefined: { type: 'boolean' },
} as const
const names = ['id', 'technical_name', 'title', 'attribute_type', 'user_permission', 'predefined'] as const

/** An attribute definition with its title in all languages. */
export const attributeDefinition = object({ ...sharedFields, title: atom.localizedTexts }, names)

const title = atom.titleInput(255)
const user_permission = {
  type: ['string', 'null'],
  enum: [...permissions, null],
} as { type: ['string', 'null']; enum: ((typeof permissions)[number] | null)[] }

export const listAttributeDefinitions = contract({
  name: 'listAttributeDefinitions',
  title: 'List all attribute definitions, by technical name',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  answers: {
    200: object(
      {
        attribute_definitions: {
          type: 'array',
          items: object({ definition: object({ ...sharedFields, title: atom.localized }, names) }, ['definition']),
        },
      },
      ['attribute_definitions'],
    ),
  },
  errors: [],
})

export const createAttributeDefinition = contract({
  name: 'createAttributeDefinition',
  title: 'Create an attribute definition',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  body: object({ technical_name: atom.id, title, attribute_type, user_permission }, [
    'technical_name',
    'title',
    'attribute_type',
  ]),
  trims: trims.attribute_definitions,
  versioned: true,
  repeatable: 'ATTRIBUTE_DEFINITION_NOT_FOUND',
  answers: { 201: attributeDefinition },
  errors: ['LANGUAGE_NOT_ENABLED', 'DUPLICATE_TECHNICAL_NAME', 'ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED'],
})

export const getAttributeDefinition = contract({
  name: 'getAttributeDefinition',
  title: 'Read an attribute definition',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  path: definitionPath,
  versioned: true,
  answers: { 200: attributeDefinition },
  errors: ['ATTRIBUTE_DEFINITION_NOT_FOUND'],
})

export const updateAttributeDefinition = contract({
  name: 'updateAttributeDefinition',
  title: 'Update an attribute definition',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  path: definitionPath,
  body: object(
    {
      title,
      attribute_type,
      user_permission,
      technical_name: { type: 'string' },
      id: atom.readOnly,
      predefined: atom.readOnly,
    },
    [],
  ),
  mergePatch: true,
  trims: trims.attribute_definitions,
  versioned: true,
  conditional: true,
  answers: { 200: attributeDefinition },
  errors: ['LANGUAGE_NOT_ENABLED', 'ATTRIBUTE_DEFINITION_NOT_FOUND', 'ATTRIBUTE_DEFINITION_IN_USE'],
})

export const deleteAttributeDefinition = contract({
  name: 'deleteAttributeDefinition',
  title: 'Delete an unused attribute definition',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  path: definitionPath,
  conditional: true,
  answers: { 204: null },
  errors: ['ATTRIBUTE_DEFINITION_NOT_FOUND', 'ATTRIBUTE_DEFINITION_IN_USE'],
})
