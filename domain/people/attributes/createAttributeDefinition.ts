import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { createOverTombstone } from '../../table/changes.ts'
import { definitionFields, definitions } from '../records/attributeDefinition.ts'
import { succeeding } from '../records/definitionEditions.ts'
import { readSlots, takeSlot } from '../records/definitionSlots.ts'

/** Defines an attribute. */
export async function createAttributeDefinition(context: Context, { body }: Input<'createAttributeDefinition'>) {
  const { store, now } = context
  const { technical_name } = body
  const wanted = definitionFields.create(body, { id: technical_name, created_at: now })
  const [fault, stored, { free }] = await Promise.all([
    wrongTexts(context, body),
    store.get(definitions.key(technical_name)),
    readSlots(store),
  ])
  if (fault) throw fault
  if (definitions.of(stored)) throw refuse('DUPLICATE_TECHNICAL_NAME', 'technical_name')
  // A random slot, so that creations at the same time seldom take the same one.
  const slot = free[Math.floor(Math.random() * free.length)]
  if (slot === undefined) throw refuse('ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED')
  const definition = succeeding(wanted, stored)
  await store.write([
    ...reserveIdempotencyKey(context, technical_name),
    createOverTombstone(definitions, stored, definition),
    takeSlot(slot, technical_name),
  ])
  return { ...definitionFields.answer(definition), status: 201 }
}
