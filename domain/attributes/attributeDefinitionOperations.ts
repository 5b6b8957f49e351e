import { isDeepStrictEqual } from 'node:util'
import type * as contracts from '../../schemas/attributeDefinitions.ts'
import type { Input } from '../../schemas/contract.ts'
import type { Answer, Context } from '../context.ts'
import { faulty, refuse } from '../errors.ts'
import { bestText, type Localized, wrongTexts } from '../localization.ts'
import { retrying } from '../retrying.ts'
import { replacing } from '../store/store.ts'
import { compareBytes } from '../text.ts'
import { allDefinitions, definitionItem, readDefinition, readPlaces, takingPlace } from './attributeDefinition.ts'
import type { AttributeDefinition } from './attributeRules.ts'

type View<T = Localized[]> = Omit<AttributeDefinition, 'title' | 'created_at' | 'used'> & { title: T }
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
  const definition = definitionFrom(body, context.now)
  const { technical_name } = definition
  return retrying(async () => {
    const [fault, found, { free }] = await Promise.all([
      wrongTexts(context, body),
      readDefinition(context.store, technical_name),
      readPlaces(context.store),
    ])
    if (fault) throw fault
    if (found) throw refuse('DUPLICATE_TECHNICAL_NAME', 'technical_name')
    // Whoever creates another one at the same time seldom wants the same place.
    const place = free[Math.floor(Math.random() * free.length)]
    if (place === undefined) throw refuse('ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED')
    await context.store.write([replacing(definitionItem(definition), undefined), takingPlace(place, technical_name)])
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
    // The note that it is used is part of the record: if somebody uses it meanwhile, this is stale.
    if (!isDeepStrictEqual(after, before)) await context.store.write([replacing(definitionItem(after), before)])
    return { status: 200, body: view(after) }
  })
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

/** In use means: somebody has been given a value of it at any time. Values are only judged when they are given. */
function patchedDefinition(definition: AttributeDefinition, body: Patch): AttributeDefinition {
  const { technical_name, attribute_type = definition.attribute_type } = body
  if (technical_name !== undefined && technical_name !== definition.technical_name)
    throw faulty('VALIDATION_ERROR', 'technical_name', 'must stay as it is')
  if (definition.used && attribute_type !== definition.attribute_type)
    throw refuse('ATTRIBUTE_DEFINITION_IN_USE', 'attribute_type')
  return {
    ...definition,
    attribute_type,
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.user_permission === undefined ? {} : { user_permission: body.user_permission ?? 'VIEW' }),
  }
}

const view = ({ created_at: _created, used: _used, ...definition }: AttributeDefinition): View => definition

function there(definition: AttributeDefinition | undefined): AttributeDefinition {
  if (!definition) throw refuse('ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id')
  return definition
}
