import type * as contracts from '../../schemas/attributeDefinitions.ts'
import type { Input } from '../../schemas/contract.ts'
import type { Answer, Context } from '../request/context.ts'
import { type DefinitionView, definitions, requireDefinition, viewDefinition } from './attributeDefinition.ts'

/** Reads an attribute definition. */
export async function getAttributeDefinition(
  { store }: Context,
  { path }: Input<typeof contracts.getAttributeDefinition>,
): Promise<Answer<DefinitionView>> {
  return { status: 200, body: viewDefinition(requireDefinition(await definitions.read(store, path.definition_id))) }
}
