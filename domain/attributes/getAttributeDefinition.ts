import type * as contracts from '../../schemas/attributeDefinitions.ts'
import type { Operation } from '../request/context.ts'
import { type DefinitionView, definitions, requireDefinition, viewDefinition } from './attributeDefinition.ts'

/** Reads an attribute definition. */
export const getAttributeDefinition: Operation<typeof contracts.getAttributeDefinition, DefinitionView> = async (
  { store },
  { path },
) => {
  return { status: 200, body: viewDefinition(requireDefinition(await definitions.read(store, path.definition_id))) }
}
