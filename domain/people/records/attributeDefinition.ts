import { refuse } from '../../base/errors.ts'
import type { Localized } from '../../request/context.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { attributeKey } from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'

export type AttributeType = 'TEXT' | 'PHONE_NUMBER' | 'DATE'

export const definitionFields = declareFields({
  id: { type: a<string>() },
  technical_name: { type: a<string>(), set: 'ALWAYS' },
  title: { type: a<Localized[]>(), set: 'ALWAYS' },
  attribute_type: { type: a<AttributeType>(), set: 'ALWAYS' },
  user_permission: { type: a<'VIEW' | 'EDIT' | 'HIDDEN'>(), set: 'ALWAYS', default: 'VIEW' },
  predefined: { type: a<boolean>(), initial: false },
  created_at: { type: a<string>(), hidden: ['ANSWERS'] },
  /** The number of changes of its type and of earlier deletions of a definition with this name. */
  edition: { type: a<number>(), optional: true, hidden: everywhere },
})

/** An attribute definition as it is stored. */
export type AttributeDefinition = RecordOf<typeof definitionFields>

export const definitions = defineRecord<AttributeDefinition>({
  key: attributeKey,
  fields: definitionFields,
  idOf: ({ technical_name }) => [technical_name],
  isRecord: (data) => 'technical_name' in data,
  events: { kind: 'attribute_definition' },
})

/** The definition that a path names, which must exist. */
export function requireDefinition(definition: AttributeDefinition | undefined): AttributeDefinition {
  if (!definition) throw refuse('ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id')
  return definition
}
