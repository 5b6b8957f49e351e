import type { Context, Input } from '../request/context.ts'
import { definitions, requireDefinition, viewDefinition } from './attributeDefinition.ts'

/** Reads an attribute definition. */
export async function getAttributeDefinition({ store }: Context, { path }: Input<'getAttributeDefinition'>) {
  return { status: 200, body: viewDefinition(requireDefinition(await definitions.read(store, path.definition_id))) }
}
