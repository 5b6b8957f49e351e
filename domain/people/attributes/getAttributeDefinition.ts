import type { Context, Input } from '../../request/context.ts'
import { definitionFields, definitions, requireDefinition } from '../records/attributeDefinition.ts'

/** Reads an attribute definition. */
export async function getAttributeDefinition({ store }: Context, { path }: Input<'getAttributeDefinition'>) {
  return definitionFields.answer(requireDefinition(await definitions.read(store, path.definition_id)))
}
