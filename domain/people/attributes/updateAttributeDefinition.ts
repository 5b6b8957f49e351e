import { refuse, refuseFault } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { mergePatch } from '../../request/patch.ts'
import { replaceRecord } from '../../table/changes.ts'
import {
  type AttributeDefinition,
  definitionFields,
  definitions,
  requireDefinition,
} from '../records/attributeDefinition.ts'
import { nextEdition } from '../records/definitionEditions.ts'
import { userCounts } from '../records/userCounters.ts'
import { closeUses } from './attributeUse.ts'

type Patch = Input<'updateAttributeDefinition'>['body']

/** Applies a merge patch to an attribute definition. Its type changes only while no user has a value. */
export async function updateAttributeDefinition(context: Context, { path, body }: Input<'updateAttributeDefinition'>) {
  const { store } = context
  const reading = definitions.read(store, path.definition_id)
  const [fault, found] = await Promise.all([wrongTexts(context, body, reading), reading])
  if (fault) throw fault
  const before = requireDefinition(found)
  const after = changeIfMatch(context, before, () => patched(before, body), definitionFields.own(before))
  if (after.attribute_type !== before.attribute_type) {
    const closing = closeUses(before, await userCounts.read(store, 'strong'))
    if (!closing) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'attribute_type')
    await store.write([replaceRecord(definitions, before, { ...after, edition: nextEdition(before) }), ...closing])
  } else if (after !== before) await store.write([replaceRecord(definitions, before, after)])
  return definitionFields.answer(after)
}

/** A technical name in the patch must be the current one. */
function patched(before: AttributeDefinition, body: Patch): AttributeDefinition {
  const after = mergePatch(before, body, definitionFields.valueForNull)
  if (after.technical_name !== before.technical_name)
    throw refuseFault('VALIDATION_ERROR', 'technical_name', 'must stay as it is')
  return after
}
