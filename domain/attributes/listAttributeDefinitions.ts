import { compareBytes } from '../base/text.ts'
import type { Answer, Context, Localized } from '../request/context.ts'
import { bestText } from '../request/localization.ts'
import { type DefinitionView, definitions, readPlaces, viewDefinition } from './attributeDefinition.ts'

type Listed = { definition: Omit<DefinitionView, 'title'> & { title: Localized } }

/** Lists all attribute definitions: there are so few that they need no pages. */
export async function listAttributeDefinitions(context: Context): Promise<Answer<{ attribute_definitions: Listed[] }>> {
  const { names } = await readPlaces(context.store)
  const found = await Promise.all(names.map((name) => definitions.readSoon(context.store, name)))
  const inOrder = found
    .filter((definition) => definition !== undefined)
    .sort((a, b) => compareBytes(a.technical_name, b.technical_name))
  const listed = inOrder.map(async (one) => ({
    definition: { ...viewDefinition(one), title: await bestText(context, one.title) },
  }))
  return { status: 200, body: { attribute_definitions: await Promise.all(listed) } }
}
