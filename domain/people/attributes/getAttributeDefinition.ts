import type { Context, Input } from '../../request/context.ts'
import { definitions, ownOfDefinition, requireDefinition, viewDefinition } from '../records/attributeDefinition.ts'

/** Reads an attribute definition. */
export async function getAttributeDefinition({ store }: Context, { path }: Input<'getAttributeDefinition'>) {
  const definition = requireDefinition(await definitions.read(store, path.definition_id))
  return { status: 200, body: viewDefinition(definition), own: ownOfDefinition(definition) }
}
