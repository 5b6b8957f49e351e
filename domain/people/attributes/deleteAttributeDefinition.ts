import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { definitionFields, definitions, requireDefinition } from '../records/attributeDefinition.ts'
import { definitionDeletion } from '../records/definitionEditions.ts'
import { giveUpSlot, readSlots } from '../records/definitionSlots.ts'
import { userCounts } from '../records/userCounters.ts'
import { closeUses, forgettable } from './attributeUse.ts'

const PREDEFINED = 'Every organisation has this attribute definition: it is never deleted'

/** Deletes an attribute definition, unless it is predefined or a user has a value of it. */
export async function deleteAttributeDefinition(context: Context, { path }: Input<'deleteAttributeDefinition'>) {
  const { store, now } = context
  const [found, uses, { names: living, taken }] = await Promise.all([
    definitions.read(store, path.definition_id),
    userCounts.read(store, 'strong'),
    readSlots(store),
  ])
  const definition = requireDefinition(found)
  requireExpected(context, definitionFields.own(definition))
  if (definition.predefined) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'definition_id', PREDEFINED)
  const { names, actions } = await forgettable(store, uses, { living, now })
  const closing = closeUses(definition, uses, names)
  if (!closing) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'definition_id')
  await store.write([
    definitionDeletion(definition, now),
    ...giveUpSlot(taken, definition.technical_name),
    ...closing,
    ...actions,
  ])
  return { status: 204, body: undefined }
}
