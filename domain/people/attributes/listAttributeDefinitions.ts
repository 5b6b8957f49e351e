import { compareBytes } from '../../base/text.ts'
import type { Answer, Context, Localized } from '../../request/context.ts'
import { bestText } from '../../request/localization.ts'
import { definitionFields } from '../records/attributeDefinition.ts'
import { readDefinitions } from '../records/definitionSlots.ts'

type Shown = ReturnType<typeof definitionFields.shown>
type Listed = { definition: Omit<Shown, 'title'> & { title: Localized } }

/** Lists all attribute definitions: there are so few that they need no pages. */
export async function listAttributeDefinitions(context: Context): Promise<Answer<{ attribute_definitions: Listed[] }>> {
  const found = await readDefinitions(context.store)
  const inOrder = found.sort((a, b) => compareBytes(a.technical_name, b.technical_name))
  const listed = inOrder.map(async (one) => ({
    definition: { ...definitionFields.shown(one), title: await bestText(context, one.title) },
  }))
  return { status: 200, body: { attribute_definitions: await Promise.all(listed) } }
}
