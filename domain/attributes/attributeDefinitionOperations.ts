import { isDeepStrictEqual } from 'node:util'
import type * as contracts from '../../schemas/attributeDefinitions.ts'
import type { Input } from '../../schemas/contract.ts'
import { faulty, refuse } from '../base/errors.ts'
import { compareBytes } from '../base/text.ts'
import type { Answer, Context, Localized } from '../request/context.ts'
import { bestText, wrongTexts } from '../request/localization.ts'
import { attributeKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { replacing } from '../table/store.ts'
import {
  allDefinitions,
  definitionIn,
  definitionItem,
  deleting,
  leavingPlace,
  readDefinition,
  readPlaces,
  succeeding,
  takingPlace,
} from './attributeDefinition.ts'
import type { AttributeDefinition } from './attributeRules.ts'
import { closeUses, forgetting, nextEdition, noteCounting, readUses } from './attributeUse.ts'

type View<T = Localized[]> = Omit<AttributeDefinition, 'title' | 'created_at' | 'used' | 'edition'> & { title: T }
type DefinitionAnswer = Promise<Answer<View>>
type Creation = Input<typeof contracts.createAttributeDefinition>['body']
type Patch = Input<typeof contracts.updateAttributeDefinition>['body']

/** Lists all attribute definitions: there are so few that they need no pages. */
export async function listAttributeDefinitions(
  context: Context,
): Promise<Answer<{ attribute_definitions: { definition: View<Localized> }[] }>> {
  const definitions = await allDefinitions(context)
  definitions.sort((a, b) => compareBytes(a.technical_name, b.technical_name))
  const shown = definitions.map(async (one) => ({
    definition: { ...view(one), title: await bestText(context, one.title) },
  }))
  return { status: 200, body: { attribute_definitions: await Promise.all(shown) } }
}

/** Defines an attribute. */
export function createAttributeDefinition(
  context: Context,
  { body }: Input<typeof contracts.createAttributeDefinition>,
): DefinitionAnswer {
  const wanted = definitionFrom(body, context.now)
  const { technical_name } = wanted
  return retrying(async () => {
    const [fault, found, { free }] = await Promise.all([
      wrongTexts(context, body),
      context.store.get(attributeKey(technical_name)),
      readPlaces(context.store),
    ])
    if (fault) throw fault
    if (definitionIn(found)) throw refuse('DUPLICATE_TECHNICAL_NAME', 'technical_name')
    // Whoever creates another one at the same time seldom wants the same place.
    const place = free[Math.floor(Math.random() * free.length)]
    if (place === undefined) throw refuse('ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED')
    const definition = succeeding(wanted, found)
    await context.store.write([replacing(definitionItem(definition), found?.data), takingPlace(place, technical_name)])
    return { status: 201, body: view(definition) }
  })
}

/** Reads an attribute definition. */
export async function getAttributeDefinition(
  context: Context,
  { path }: Input<typeof contracts.getAttributeDefinition>,
): DefinitionAnswer {
  return { status: 200, body: view(there(await readDefinition(context.store, path.definition_id))) }
}

/** Applies a merge patch to an attribute definition. */
export function updateAttributeDefinition(
  context: Context,
  { path, body }: Input<typeof contracts.updateAttributeDefinition>,
): DefinitionAnswer {
  return retrying(async () => {
    const reading = readDefinition(context.store, path.definition_id)
    const [fault, found] = await Promise.all([wrongTexts(context, body, reading), reading])
    if (fault) throw fault
    const before = there(found)
    const after = patchedDefinition(before, body)
    if (isDeepStrictEqual(after, before)) return { status: 200, body: view(before) }
    if (after.attribute_type === before.attribute_type) {
      await context.store.write([replacing(definitionItem(after), before)])
      return { status: 200, body: view(after) }
    }
    await checkCounted(context, before, 'attribute_type')
    const closing = closeUses(before, await readUses(context.store))
    if (!closing) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'attribute_type')
    const retyped = { ...after, edition: nextEdition(before) }
    await context.store.write([replacing(definitionItem(retyped), before), ...closing])
    return { status: 200, body: view(retyped) }
  })
}

/** Deletes an attribute definition that nobody has a value of, and that not every directory has. */
export function deleteAttributeDefinition(
  context: Context,
  { path }: Input<typeof contracts.deleteAttributeDefinition>,
): Promise<Answer<undefined>> {
  const { store, now } = context
  return retrying(async () => {
    const [found, uses, places] = await Promise.all([
      readDefinition(store, path.definition_id),
      readUses(store),
      readPlaces(store),
    ])
    const definition = there(found)
    if (definition.predefined) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'definition_id', PREDEFINED)
    await checkCounted(context, definition, 'definition_id')
    const { names, actions } = await forgetting(store, uses, { living: places.names, now })
    const closing = closeUses(definition, uses, names)
    if (!closing) throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'definition_id')
    await store.write([
      deleting(definition, { deleted_at: now, edition: nextEdition(definition) }),
      ...leavingPlace(places.taken, definition.technical_name),
      ...closing,
      ...actions,
    ])
    return { status: 204, body: undefined }
  })
}

const PREDEFINED = 'Every organisation has this attribute definition: it is never deleted'
const UNCOUNTED = 'Whether anybody has a value is being counted: try again in some minutes'

/** A definition that an earlier version noted as used counts as in use until the values of that time are counted. */
async function checkCounted({ store, now }: Context, { used }: AttributeDefinition, property: string): Promise<void> {
  if (!used) return
  await noteCounting(store, now)
  throw refuse('ATTRIBUTE_DEFINITION_IN_USE', property, UNCOUNTED)
}

const definitionFrom = ({ technical_name, title, attribute_type, user_permission }: Creation, now: string) => ({
  id: technical_name,
  technical_name,
  title,
  attribute_type,
  user_permission: user_permission ?? 'VIEW',
  predefined: false,
  created_at: now,
})

function patchedDefinition(definition: AttributeDefinition, body: Patch): AttributeDefinition {
  const { technical_name, attribute_type = definition.attribute_type } = body
  if (technical_name !== undefined && technical_name !== definition.technical_name)
    throw faulty('VALIDATION_ERROR', 'technical_name', 'must stay as it is')
  return {
    ...definition,
    attribute_type,
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.user_permission === undefined ? {} : { user_permission: body.user_permission ?? 'VIEW' }),
  }
}

const view = ({ created_at: _created, used: _used, edition: _edition, ...rest }: AttributeDefinition): View => rest

function there(definition: AttributeDefinition | undefined): AttributeDefinition {
  if (!definition) throw refuse('ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id')
  return definition
}
