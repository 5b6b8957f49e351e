import { attributeKey, definitionSlotKey, SHARDS, useCount, userCountKey } from '../../domain/table/keys.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const path = { definition_id: 'shoe_size' }
const title = [{ language: 'en-GB', text: 'Shoe size' }]

/** There are as many definitions as there may be: one makes room. */
const makeRoom = ({ store }: Service) =>
  store.bulk([{ delete: attributeKey('extra_44') }, { delete: definitionSlotKey(49) }])

/** As many attributes are counted in every shard as make the shards larger than one unit of a read, whatever came before. */
const countMany = ({ store }: Service) =>
  store.write(
    Array.from({ length: SHARDS }, (_, shard) => ({
      update: userCountKey(shard),
      add: Object.fromEntries(['extra_40', 'extra_41', 'extra_42'].map((name) => [useCount(name), 0])),
    })),
  )

/** What the endpoints of attribute definitions cost, and what it costs to be the first who has a value. */
export const attributeLines: readonly Line[] = [
  ...linesOf('listAttributeDefinitions', [{ scenario: 'all fifty', request: {}, costs: [3, 2, 28, 0] }]),
  ...linesOf('createAttributeDefinition', [
    {
      scenario: 'the fiftieth',
      before: makeRoom,
      request: { body: { technical_name: 'shoe_size', title, attribute_type: 'TEXT' } },
      status: 201,
      costs: [3, 2, 4, 8],
    },
  ]),
  ...linesOf('getAttributeDefinition', [{ scenario: 'a definition', request: { path }, costs: [1, 1, 3, 0] }]),
  ...linesOf('updateAttributeDefinition', [
    {
      // Rare, and all counters must show that no user has a value. This makes each first value a wave cheaper.
      scenario: 'the type',
      request: { path, body: { attribute_type: 'PHONE_NUMBER' } },
      before: countMany,
      waves: 3,
      costs: [3, 3, 5, 70],
    },
    { scenario: 'the same again', request: { path, body: { attribute_type: 'PHONE_NUMBER' } }, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('updateUser', [
    {
      scenario: 'the first value of an attribute',
      request: { path: { user_id: 'u-123' }, body: { attributes: [{ name: 'shoe_size', value: '43' }] } },
      costs: [3, 2, 4.5, 45],
    },
    {
      scenario: 'the second',
      request: { path: { user_id: 'u-124' }, body: { attributes: [{ name: 'shoe_size', value: '44' }] } },
      // Two units for the counter, as three names are dropped and one is added.
      costs: [3, 2, 4.5, 47],
    },
  ]),
  ...linesOf('deleteAttributeDefinition', [
    { scenario: 'one in use', request: { path }, status: 409, costs: [3, 1, 6, 0] },
    {
      scenario: 'one without values',
      request: { path: { definition_id: 'extra_43' } },
      status: 204,
      costs: [4, 2, 6, 72],
    },
  ]),
]
