import type { AttributeDefinition } from '../attributes/attributeDefinition.ts'
import { definitions, readPlaces, succeeding, takePlace } from '../attributes/attributeDefinition.ts'
import { attributeKey, DEFINITION_PLACES } from '../table/keys.ts'
import type { Lookup } from './importContext.ts'
import { checkFixed, checkTexts, merged, noting, type Plan, planChange } from './plan.ts'
import { isPredefinedAttribute } from './predefined.ts'

/** Decides what becomes of the attribute definitions of the file: each new one takes a place that is free. */
export async function planDefinitions(plan: Plan, stored: Lookup): Promise<void> {
  const { store, now } = plan.context
  const { names, free } = await readPlaces(store)
  for (const entry of plan.file.attribute_definitions) {
    const { index, value } = entry
    const note = noting(plan, 'attribute_definitions', index)
    const item = stored(attributeKey(value.technical_name))
    const before = definitions.of(item)
    const fresh = succeeding(newDefinition(value.technical_name, now), item)
    const { data, verdict } = merged(value, before, fresh, now)
    checkTexts(plan, entry, note, before)
    checkFixed(['attribute_type'], { data, stored: before }, note)
    plan.definitions.set(data.technical_name, data)
    planChange(plan, 'attribute_definitions', {
      put: definitions.item(data),
      read: item?.data,
      verdict,
      beside: before ? [] : [takePlace(free.shift() ?? DEFINITION_PLACES, data.technical_name)],
      first: data.predefined,
    })
  }
  const all = new Set([...plan.definitions.keys(), ...names])
  if (all.size > DEFINITION_PLACES)
    noting(plan, 'attribute_definitions', null)('', `would be ${all.size}, and ${DEFINITION_PLACES} are allowed`)
}

const newDefinition = (technical_name: string, now: string): AttributeDefinition => ({
  id: technical_name,
  technical_name,
  title: [],
  attribute_type: 'TEXT',
  user_permission: 'VIEW',
  predefined: isPredefinedAttribute(technical_name),
  created_at: now,
})
